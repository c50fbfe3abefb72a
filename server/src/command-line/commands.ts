// Commands in the order and groups of `wh --help`. Options and work are loaded when needed: all
// take a second.
import type { Command } from 'commander';
import { addCommonOptions, type Invocation } from './command.ts';

type Define = (program: Command, invocation: Invocation) => void;
type Loaders = Readonly<Record<string, () => Promise<Define>>>;

const GROUPS: Readonly<Record<string, Loaders>> = {
  'Look up': {
    ip: async () => (await import('./lookups.ts')).defineIp,
    prefix: async () => (await import('./lookups.ts')).definePrefix,
    asn: async () => (await import('./lookups.ts')).defineAsn,
  },
  Logs: {
    enrich: async () => (await import('./logs.ts')).defineEnrich,
    summarize: async () => (await import('./logs.ts')).defineSummarize,
    crawlers: async () => (await import('./logs.ts')).defineCrawlers,
  },
  Email: {
    email: async () => (await import('./email.ts')).defineEmail,
    watch: async () => (await import('./watch.ts')).defineWatch,
  },
  Rules: { decide: async () => (await import('./decide.ts')).defineDecide },
  Data: {
    dataset: async () => (await import('./dataset.ts')).defineDataset,
    sync: async () => (await import('./dataset.ts')).defineSync,
  },
  'Keys and accounts': {
    key: async () => (await import('./key.ts')).defineKey,
    user: async () => (await import('./user.ts')).defineUser,
  },
  Server: {
    serve: async () => (await import('./server.ts')).defineServe,
    storage: async () => (await import('./server.ts')).defineStorage,
    mcp: async () => (await import('./lookups.ts')).defineMcp,
  },
  Shell: { completion: async () => (await import('./completion-scripts.ts')).defineCompletion },
};

export const COMMAND_NAMES: readonly string[] = Object.values(GROUPS).flatMap(Object.keys);

export async function addCommands(
  program: Command,
  invocation: Invocation,
  names: readonly string[] = COMMAND_NAMES,
): Promise<Command> {
  for (const [group, loaders] of Object.entries(GROUPS))
    for (const [name, load] of Object.entries(loaders)) {
      if (!names.includes(name)) continue;
      (await load())(program, invocation);
      program.commands.at(-1)?.helpGroup(`${group}:`);
    }
  addCommonOptions(program);
  return program.commandsGroup('Shell:').helpCommand(true);
}

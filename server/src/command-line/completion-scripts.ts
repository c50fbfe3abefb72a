// `wh completion`: scripts for bash, zsh and fish. They contain every command and option and start
// no program: Node takes a quarter of a second to start.
import { Argument, type Command } from 'commander';
import { NAME } from '../terminal/program-name.ts';
import type { Invocation } from './command.ts';
import { type CommandNode, everyNode, nameOf, type OptionNode } from './command-tree.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, tree: CommandNode): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](tree);
}

/** `/key/create`: how the scripts for bash and zsh remember which command has been typed. */
const key = ({ path }: CommandNode) => path.map((name) => `/${name}`).join('');
const commandKeys = (tree: CommandNode) =>
  everyNode(tree)
    .filter(({ path }) => path.length > 0)
    .map((node) => `'${key(node)}'`)
    .join(' | ');
const flagsOf = ({ short, long }: OptionNode) => [...(short === undefined ? [] : [short]), long];
/** In single quotes, with a quote written as `'\''`. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Options for which `is` holds, as patterns of `case "$typed:$flag"`. */
function optionPatterns(tree: CommandNode, is: (option: OptionNode) => boolean) {
  return everyNode(tree).flatMap((node) =>
    node.options.filter(is).map((option) => {
      const patterns = flagsOf(option).map((flag) => `'${key(node)}:${flag}'`);
      return { option, patterns: patterns.join(' | ') };
    }),
  );
}
const hasChoices = ({ choices }: OptionNode) => choices.length > 0;
const takesValue = ({ value }: OptionNode) => value !== undefined;
const choicesOf = (node: CommandNode) => node.arguments.flatMap(({ choices }) => choices);
const valuePatterns = (tree: CommandNode) =>
  optionPatterns(tree, takesValue)
    .map(({ patterns }) => patterns)
    .join(' | ');

/** After an option that takes a value: nothing, so that readline completes a file name. */
function bashScript(tree: CommandNode): string {
  const choices = optionPatterns(tree, hasChoices).map(
    ({ option, patterns }) =>
      `    ${patterns}) COMPREPLY=($(compgen -W ${quoted(option.choices.join(' '))} -- "$cur")); return ;;`,
  );
  const words = everyNode(tree).map((node) => {
    const names = [...node.subcommands.map(nameOf), ...choicesOf(node)].join(' ');
    const options = node.options.map(({ long }) => long).join(' ');
    return `    '${key(node)}') names=${quoted(names)}; options=${quoted(options)} ;;`;
  });
  return `# bash completion of ${NAME}. In ~/.bashrc: source <(${NAME} completion bash)
_wh_completion() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} typed='' names='' options='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$typed/\${COMP_WORDS[i]}" in
    ${commandKeys(tree)}) typed=$typed/\${COMP_WORDS[i]} ;;
    esac
  done
  COMPREPLY=()
  case "$typed:$prev" in
${choices.join('\n')}
    ${valuePatterns(tree)}) return ;;
  esac
  case "$typed" in
${words.join('\n')}
  esac
  if [[ $cur == -* ]]; then names=$options; fi
  COMPREPLY=($(compgen -W "$names" -- "$cur"))
}
complete -o default -F _wh_completion wh whence
`;
}

/** `whence` is a builtin of zsh, so only `wh` is completed. */
function zshScript(tree: CommandNode): string {
  const described = (name: string, description: string) =>
    quoted(`${name.replaceAll(':', '\\:')}:${description}`);
  const words = everyNode(tree).map((node) => {
    const names = [
      ...node.subcommands.map((sub) => described(nameOf(sub), sub.description)),
      ...choicesOf(node).map((choice) => described(choice, '')),
    ].join(' ');
    const options = node.options
      .map(({ long, description }) => described(long, description))
      .join(' ');
    return `    '${key(node)}')\n      names=(${names})\n      options=(${options}) ;;`;
  });
  const choices = optionPatterns(tree, hasChoices).map(
    ({ option, patterns }) =>
      `    ${patterns}) compadd -- ${option.choices.map(quoted).join(' ')}; return ;;`,
  );
  return `#compdef wh
# zsh completion of wh. In ~/.zshrc, after compinit: source <(wh completion zsh)
_wh() {
  local typed='' word
  local -a names options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$typed/$word" in
    ${commandKeys(tree)}) typed=$typed/$word ;;
    esac
  done
  case "$typed:\${words[CURRENT-1]}" in
${choices.join('\n')}
    ${valuePatterns(tree)}) _files; return ;;
  esac
  case "$typed" in
${words.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif (( \${#names} )); then
    _describe command names || _files
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _wh ]]; then _wh "$@"; else compdef _wh wh; fi
`;
}

function fishScript(tree: CommandNode): string {
  const lines = everyNode(tree).flatMap((node) => {
    const condition = `-n ${quoted(`__wh_typed ${node.path.join(' ')}`.trim())}`;
    const description = (text: string) => (text === '' ? '' : ` -d ${quoted(text)}`);
    return [
      ...(node.arguments.some(({ takesFiles }) => takesFiles)
        ? [`complete -c wh ${condition} -F`]
        : []),
      ...node.subcommands.map(
        (sub) => `complete -c wh ${condition} -a ${nameOf(sub)}${description(sub.description)}`,
      ),
      ...choicesOf(node).map((choice) => `complete -c wh ${condition} -a ${choice}`),
      ...node.options.map(
        ({ short, long, description: text, value: valueName, takesFiles, choices }) => {
          const flag = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
          let value = '';
          if (choices.length > 0) value = ` -x -a ${quoted(choices.join(' '))}`;
          else if (valueName !== undefined) value = takesFiles ? ' -r -F' : ' -x';
          return `complete -c wh ${condition}${flag}${value}${description(text)}`;
        },
      ),
    ];
  });
  const commands = everyNode(tree).filter(({ path }) => path.length > 0);
  return `# fish completion of wh. wh completion fish > ~/.config/fish/completions/wh.fish
# Succeeds if exactly this command has been typed, without what may follow it.
function __wh_typed
  set -l commands ${commands.map(({ path }) => quoted(path.join(' '))).join(' ')}
  set -l typed ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$typed $word")
    contains -- $next $commands; and set typed $next
  end
  test "$typed" = "$argv"
end
complete -c wh -f
${lines.join('\n')}
complete -c whence -w wh
`;
}

export function defineCompletion(program: Command, { everyCommand, stdout }: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { commandTree } = await import('./command-tree.ts');
      stdout.write(completionScript(shell, commandTree(await everyCommand())));
    });
}

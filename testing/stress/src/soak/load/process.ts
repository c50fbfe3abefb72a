/**
 * Child process: the load generator, which must not share a thread with what watches the server.
 */
import { LoadGenerator } from './generator.ts';
import type { LoadCommand } from './protocol.ts';

const REPORT_EVERY_MS = 1_000;

let generator: LoadGenerator | undefined;
const timer = setInterval(() => {
  if (generator !== undefined) process.send?.(generator.takeReport(false));
}, REPORT_EVERY_MS);

// Sent by `start-load.ts` and no other code.
process.on('message', async (command: LoadCommand) => {
  if (command.kind === 'start') {
    generator = new LoadGenerator(command.plan);
    generator.start();
  } else if (command.kind === 'hostile zone')
    generator?.askHostileZone(command.zone, command.number);
  else {
    await generator?.stop();
    clearInterval(timer);
    process.send?.(generator?.takeReport(true), () => process.disconnect());
  }
});
process.on('disconnect', () => process.exit());

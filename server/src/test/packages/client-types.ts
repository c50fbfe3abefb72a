/**
 * The client's types of answers, generated from the OpenAPI document of a server. As a program it
 * writes them: after a change of a schema, in a compiled checkout, after `npm run test:tools`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolCommand } from '@whence/testing/installed-tools';
import { startInProcess, TestFolder } from '../test-server.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
export const CLIENT_TYPES = join(ROOT, 'client/openapi.d.mts');
/** After the input: the generator would take it for the value of an option. */
const OPTIONS = [
  '--empty-objects-unknown',
  '--array-length',
  '--root-types',
  '--root-types-no-schema-prefix',
];
export const COMMAND = 'node server/dist/test/packages/client-types.js';

export async function generateClientTypes(): Promise<string> {
  const folder = new TestFolder();
  const scratch = mkdtempSync(join(tmpdir(), 'whence-client-types-'));
  const server = await startInProcess(folder);
  try {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const { openapi, info, components } = document;
    // Types of the data are enough: paths and parameters are the client's functions.
    const schemas = { openapi, info, paths: {}, components: { schemas: components.schemas } };
    writeFileSync(join(scratch, 'schemas.json'), JSON.stringify(schemas));
    const output = join(scratch, 'types.d.mts');
    const given = [join(scratch, 'schemas.json'), '--output', output, ...OPTIONS];
    await run(process.execPath, [toolCommand('openapi-typescript'), ...given]);
    return readFileSync(output, 'utf8');
  } finally {
    await server.close();
    folder.remove();
    rmSync(scratch, { recursive: true });
  }
}

type Document = {
  readonly openapi: string;
  readonly info: object;
  readonly components: { readonly schemas: object };
};

if (process.argv[1] === import.meta.filename)
  writeFileSync(CLIENT_TYPES, await generateClientTypes());

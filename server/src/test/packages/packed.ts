/**
 * The packages as they are published: packed by npm run pack, unpacked for inspection, installed as
 * by a user.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../../..');
export const PUBLISHED = ['client', 'dataset', 'email', 'server'] as const;

export type Manifest = {
  name: string;
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
  repository?: { url: string; directory: string };
  bugs?: string;
};

const execute = promisify(execFile);
/** Set by .ci/test.mjs: a folder that `prepare` has filled. */
const SHARED = 'WHENCE_TEST_PACKAGES';

export class PackedPackages {
  /** Packed and installed. Test files that are run together share one copy. */
  static async open(): Promise<PackedPackages> {
    const shared = process.env[SHARED];
    const packed = new PackedPackages(shared);
    if (shared === undefined) await packed.prepare();
    return packed;
  }

  readonly folder: string;
  /** For `install`: outside of the repository, so that nothing resolves to its node_modules. */
  readonly consumer: string;
  readonly tarballs: string;

  constructor(folder = mkdtempSync(join(tmpdir(), 'whence-packages-'))) {
    this.folder = folder;
    this.consumer = join(folder, 'consumer');
    this.tarballs = join(folder, 'tarballs');
  }

  /** Where the commands are after `install`. */
  get bin(): string {
    return join(this.consumer, 'node_modules/.bin');
  }

  /** False where the registry cannot be reached. */
  get isInstalled(): boolean {
    return existsSync(this.bin);
  }

  async prepare(): Promise<void> {
    const [hasRegistry] = await Promise.all([isRegistryReachable(), this.#pack()]);
    if (hasRegistry) await this.#install();
  }

  /** What `npm run pack` prints after the build. */
  get packOutput(): string {
    return readFileSync(join(this.folder, 'output'), 'utf8');
  }

  async #pack(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const output = await runIn(ROOT, process.execPath, ['.ci/pack.mjs', this.tarballs], {});
    writeFileSync(join(this.folder, 'output'), output);
    for (const name of PUBLISHED) {
      mkdirSync(this.unpacked(name), { recursive: true });
      await execute('tar', [
        '-xzf',
        this.#tarball(name),
        '-C',
        this.unpacked(name),
        '--strip-components=1',
      ]);
    }
  }

  unpacked(name: string): string {
    return join(this.folder, 'unpacked', name);
  }

  manifest(name: string): Manifest {
    return JSON.parse(readFileSync(join(this.unpacked(name), 'package.json'), 'utf8'));
  }

  /** Every file in a tarball, as paths with slashes. */
  files(name: string): string[] {
    return readdirSync(this.unpacked(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.unpacked(name).length + 1));
  }

  read(name: string, path: string): string {
    return readFileSync(join(this.unpacked(name), path), 'utf8');
  }

  /**
   * Into the consumer's folder, from the tarballs and the registry. With `engine-strict`, a
   * dependency that needs a newer Node is an error. Install scripts are not run, as by npm 12: no
   * package needs its own.
   */
  async #install(): Promise<void> {
    mkdirSync(this.consumer);
    this.write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    this.write('.npmrc', 'engine-strict=true\naudit=false\nfund=false\n');
    const typesOfNode = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
      .devDependencies['@types/node'];
    const tarballs = PUBLISHED.map((name) => this.#tarball(name));
    await npm(
      this.consumer,
      'install',
      '--ignore-scripts',
      '--prefer-offline',
      ...tarballs,
      `@types/node@${typesOfNode}`,
    );
  }

  /**
   * What the installed packages take on disk, in megabytes, without the types that only this test
   * installs.
   */
  installedMegabytes(): number {
    const entries = readdirSync(join(this.consumer, 'node_modules'), {
      recursive: true,
      withFileTypes: true,
    });
    const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
    const own = paths.filter((path) => !/node_modules\/(@types|undici-types)\b/.test(path));
    return (own.reduce((sum, path) => sum + lstatSync(path).blocks, 0) * 512) / 1e6;
  }

  write(path: string, text: string): string {
    const target = join(this.consumer, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    return target;
  }

  /** In the consumer's folder; rejects with everything that was printed unless it exits with 0. */
  async run(
    program: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<string> {
    return runIn(this.consumer, program, args, environment);
  }

  /** Unless it is shared: the one who made it removes it. */
  remove(): void {
    if (process.env[SHARED] !== this.folder) rmSync(this.folder, { recursive: true, force: true });
  }

  #tarball(name: string): string {
    const { version } = JSON.parse(readFileSync(join(ROOT, name, 'package.json'), 'utf8'));
    return join(this.tarballs, `whence-${name}-${version}.tgz`);
  }
}

/** False where npm gets no answer from the registry that it is configured for. */
export async function isRegistryReachable(): Promise<boolean> {
  try {
    await npm(tmpdir(), 'view', 'fastify', 'version', '--prefer-online', '--fetch-retries=0');
    return true;
  } catch {
    return false;
  }
}

async function npm(folder: string, ...args: string[]): Promise<string> {
  return runIn(folder, 'npm', args, {});
}

/** Rejects with everything that was printed unless the program exits with 0. */
export async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const env = { ...withoutSettings(outsideOfNpm(process.env)), ...environment };
  try {
    return (await execute(program, args, { cwd, env, maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    const {
      message,
      stdout = '',
      stderr = '',
    } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

/** Settings of Whence, and the place of the user's own dataset. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(WHENCE_|XDG_DATA_HOME$)/.test(name)),
  );

/**
 * `npm test` describes its own run in the environment, including the folder that npm takes for the
 * project. Settings, such as the registry, stay.
 */
function outsideOfNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ofTheRun =
    /^(npm_(package|lifecycle)_|npm_config_(local_prefix|workspaces?)$|INIT_CWD$|NODE_TEST_CONTEXT$)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !ofTheRun.test(name)));
}

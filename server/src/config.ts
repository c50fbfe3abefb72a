/** Every setting of the program: variable, default, what it means. Only commands read it; below them all values are passed in. */
export type Config = { readonly dataDir: string };

type Setting<T> = {
  readonly variable: string;
  readonly default: string;
  readonly help: string;
  readonly parse: (text: string) => T;
};

const settings: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  dataDir: {
    variable: 'WHENCE_DATA_DIR',
    default: './whence-data',
    help: 'folder for datasets',
    parse: (text) => text,
  },
};

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read = <T>({ variable, default: fallback, parse }: Setting<T>): T => parse(environment[variable] || fallback);
  return { dataDir: read(settings.dataDir) };
}

/** The table as it stands at the end of `whence --help`. */
export function settingsHelp(): string {
  const rows = Object.values(settings).map(
    (setting) => `  ${setting.variable}  ${setting.help} (default: ${setting.default})`,
  );
  return `\nEnvironment:\n${rows.join('\n')}\n`;
}

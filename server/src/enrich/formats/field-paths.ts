/**
 * The members of an object that may hold the address: dot paths as a tree that the reader descends
 * while it parses.
 */
export type PathNode = {
  /** Index of the path that ends here, or -1. */
  path: number;
  /** Indexed by the length of the name in bytes: few names have the same length. */
  readonly children: PathChild[][];
};

export type PathChild = {
  readonly name: string;
  readonly bytes: Buffer;
  /** The first byte, which most other names do not have; of an empty name the quote after it. */
  readonly first: number;
  readonly node: PathNode;
};

export type FieldPaths = { readonly root: PathNode; readonly count: number };

/**
 * Common names for the client address in logs, in order of preference. Also used to find the column
 * in CSV.
 */
export const ADDRESS_NAMES: readonly string[] = [
  'ip',
  'client_ip',
  'clientip',
  'clientIp',
  'client.ip',
  'remote_addr',
  'remote_ip',
  'remoteAddress',
  'remoteIp',
  'httpRequest.remoteIp',
  'request.remote_ip',
  'request.client_ip',
  'src_ip',
  'source_ip',
  'sourceIPAddress',
  'source.ip',
  'srcaddr',
  'saddr',
  'c-ip',
  'ip_address',
  'ipaddress',
  'host.ip',
  'id.orig_h',
];

/**
 * `paths` by preference. `source.ip` is the member `ip` of `source`, or a member named `source.ip`.
 */
export function fieldPaths(paths: readonly string[]): FieldPaths {
  const root: PathNode = { path: -1, children: [] };
  paths.forEach((path, i) => {
    addPath(root, path.split('.'), i);
  });
  return { root, count: paths.length };
}

export function findChild(node: PathNode, name: string): PathNode | undefined {
  return node.children[Buffer.byteLength(name)]?.find((child) => child.name === name)?.node;
}

const QUOTE = 0x22;

function addPath(node: PathNode, names: readonly string[], path: number): void {
  if (names.length === 0) {
    if (node.path < 0) node.path = path;
    return;
  }
  for (let count = 1; count <= names.length; count++)
    addPath(findOrAddChild(node, names.slice(0, count).join('.')), names.slice(count), path);
}

function findOrAddChild(node: PathNode, name: string): PathNode {
  const bytes = Buffer.from(name);
  while (node.children.length <= bytes.length) node.children.push([]);
  const existing = findChild(node, name);
  if (existing !== undefined) return existing;
  const child: PathChild = {
    name,
    bytes,
    first: bytes[0] ?? QUOTE,
    node: { path: -1, children: [] },
  };
  node.children[bytes.length]?.push(child);
  return child.node;
}

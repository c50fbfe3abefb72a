/** Which members of an object may hold the address: dot paths as a tree that a reader walks down while it reads. */
export type PathNode = {
  /** The number of the path that ends here, or -1. */
  path: number;
  /** By the length of their names in bytes: of thirty names one or two are as long as the one at hand. */
  readonly children: PathChild[][];
};

export type PathChild = { readonly name: string; readonly bytes: Buffer; readonly node: PathNode };

export type FieldPaths = { readonly root: PathNode; readonly count: number };

/** What logs call the address of the one who asked, the commonest first. Also the names by which a column of CSV is recognised. */
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

/** In the order of preference. A dot also matches itself: `source.ip` is the member `ip` of `source`, or one called `source.ip`. */
export function fieldPaths(paths: readonly string[]): FieldPaths {
  const root: PathNode = { path: -1, children: [] };
  paths.forEach((path, i) => {
    addPath(root, path.split('.'), i);
  });
  return { root, count: paths.length };
}

export function childNamed(node: PathNode, name: string): PathNode | undefined {
  return node.children[Buffer.byteLength(name)]?.find((child) => child.name === name)?.node;
}

function addPath(node: PathNode, names: readonly string[], path: number): void {
  if (names.length === 0) {
    if (node.path < 0) node.path = path;
    return;
  }
  for (let count = 1; count <= names.length; count++)
    addPath(childOf(node, names.slice(0, count).join('.')), names.slice(count), path);
}

function childOf(node: PathNode, name: string): PathNode {
  const bytes = Buffer.from(name);
  while (node.children.length <= bytes.length) node.children.push([]);
  const known = childNamed(node, name);
  if (known !== undefined) return known;
  const child: PathChild = { name, bytes, node: { path: -1, children: [] } };
  node.children[bytes.length]?.push(child);
  return child.node;
}

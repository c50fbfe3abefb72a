/**
 * The Hilbert curve: numbers that are close to each other are close in the plane, and every block of 4^n of them is a
 * square. A map of address space along it shows a prefix as one square or half of one.
 *
 *   order 1     order 2
 *   0 3         0  1  14 15
 *   1 2         3  2  13 12
 *               4  7  8  11
 *               5  6  9  10
 */
export type Point = { readonly x: number; readonly y: number };

/** `index` from 0 to 4^order - 1; `y` grows downwards. */
export function pointAt(index: number, order: number): Point {
  let x = 0;
  let y = 0;
  let rest = index;
  for (let side = 1; side < 2 ** order; side *= 2) {
    const right = (rest >> 1) & 1;
    const down = (rest ^ right) & 1;
    if (down === 0) {
      if (right === 1) [x, y] = [side - 1 - x, side - 1 - y];
      [x, y] = [y, x];
    }
    x += side * right;
    y += side * down;
    rest >>= 2;
  }
  return { x, y };
}

export function indexAt({ x: column, y: row }: Point, order: number): number {
  let x = column;
  let y = row;
  let index = 0;
  for (let side = 2 ** (order - 1); side >= 1; side /= 2) {
    const right = (x & side) > 0 ? 1 : 0;
    const down = (y & side) > 0 ? 1 : 0;
    index += side * side * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) [x, y] = [side * 2 - 1 - x, side * 2 - 1 - y];
      [x, y] = [y, x];
    }
    x &= side - 1;
    y &= side - 1;
  }
  return index;
}

/** Width and height of a map of 2^bits cells: a square, or two beside each other. */
export function mapSize(bits: number): { readonly order: number; readonly width: number; readonly height: number } {
  const order = Math.ceil(bits / 2);
  const side = 2 ** order;
  if (bits % 2 === 0) return { order, width: side, height: side };
  // The first half of the curve fills one half of the square: which one depends on the order.
  const last = pointAt(2 ** bits - 1, order);
  return last.x < side / 2 ? { order, width: side / 2, height: side } : { order, width: side, height: side / 2 };
}

/**
 * Cells of one value as a path of rectangles, one for every row of neighbours: a map of 65,536 cells has some hundred
 * or thousand of them.
 */
export function cellPath(isSet: (index: number) => boolean, bits: number): string {
  const { order, width, height } = mapSize(bits);
  let path = '';
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!isSet(indexAt({ x, y }, order))) continue;
      const start = x;
      while (x + 1 < width && isSet(indexAt({ x: x + 1, y }, order))) x++;
      path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  }
  return path;
}

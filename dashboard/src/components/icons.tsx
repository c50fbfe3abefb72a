import type { SVGProps } from 'react';
import paths from './icons.json';

export type IconName = keyof typeof paths;

type IconProps = Omit<SVGProps<SVGSVGElement>, 'stroke'> & {
  name: IconName;
  /** Width and height in pixels. */
  size: number;
  /** Width of the lines. */
  stroke?: number;
};

/**
 * An icon of Tabler Icons (MIT; NOTICE has the licence). Its packages have 88 MB for thousands of
 * icons, so the paths of those that are used are in a table. To add one: join the paths of its file
 * on https://tabler.io/icons. Hidden from screen readers unless it has a label.
 */
export function Icon({ name, size, stroke = 2, ...rest }: IconProps) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: where it is used, it has aria-hidden or aria-label.
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden={rest['aria-label'] === undefined}
      {...rest}
    >
      <path d={paths[name]} />
    </svg>
  );
}

import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './FilterBar.module.css';
import { Icon } from './icons.tsx';

type FilterBarProps = Pick<
  TextInputProps,
  'placeholder' | 'value' | 'defaultValue' | 'onChange'
> & {
  label: string;
  /** The other filters. */
  children: ReactNode;
};

/** Filters of a list, beginning with the search. */
export function FilterBar({ label, children, ...search }: FilterBarProps) {
  return (
    <div className={`${classes['bar']} no-print`}>
      <TextInput
        type="search"
        className={classes['search']}
        aria-label={label}
        leftSection={<Icon name="search" size={16} />}
        {...search}
      />
      {children}
    </div>
  );
}

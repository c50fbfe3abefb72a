/** Buttons with a text and, where given, an icon before it. */
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

type TextButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & {
    text: string;
    icon?: IconName;
    /** For a link that looks like a button. */
    renderRoot?: (props: object) => ReactNode;
  };

export function TextButton({ text, icon, ...props }: TextButtonProps) {
  return (
    <Button
      leftSection={icon && <Icon name={icon} size={props.size === 'xs' ? 15 : 16} />}
      {...props}
    >
      {text}
    </Button>
  );
}

/** Small, and not the main action of its place. */
export function QuietButton(props: TextButtonProps) {
  return <TextButton variant="default" size="xs" {...props} />;
}

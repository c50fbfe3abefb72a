import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { KeySummary } from '@whence/server/dashboard-wire';
import { Tag } from '../parts/Tag.tsx';

export function KeyStatus({ status }: Pick<KeySummary, 'status'>) {
  return status === 'active' ? (
    <Tag icon={IconCircleCheck} tone="good">
      active
    </Tag>
  ) : (
    <Tag icon={IconCircleX}>revoked</Tag>
  );
}

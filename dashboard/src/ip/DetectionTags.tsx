import {
  IconAntenna,
  IconArrowsExchange,
  IconBriefcase,
  IconCloud,
  IconHome2,
  IconMask,
  IconRobot,
  IconSchool,
  IconServer2,
  IconShieldLock,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ConnectionType, IpRecord } from '@whence/client/wire';
import { Tag, Tags } from '../parts/Tag.tsx';

export const CONNECTION_ICONS: Readonly<Record<ConnectionType, TablerIcon>> = {
  residential: IconHome2,
  datacenter: IconServer2,
  mobile: IconAntenna,
  business: IconBriefcase,
  education: IconSchool,
};

/** What is true of the address, each as icon and word. */
export function DetectionTags({ record: { connection_type, detection } }: { record: IpRecord }) {
  return (
    <Tags>
      <Tag icon={CONNECTION_ICONS[connection_type]}>{connection_type}</Tag>
      {detection.is_tor_exit && (
        <Tag icon={IconMask} tone="bad">
          Tor exit
        </Tag>
      )}
      {detection.is_vpn && (
        <Tag icon={IconShieldLock} tone="warn">
          VPN
        </Tag>
      )}
      {detection.is_proxy && (
        <Tag icon={IconArrowsExchange} tone="warn">
          proxy
        </Tag>
      )}
      {detection.is_ai_crawler && (
        <Tag icon={IconRobot} tone="accent">
          AI crawler{detection.ai_company === undefined ? '' : `: ${detection.ai_company}`}
        </Tag>
      )}
      {detection.cloud_provider !== undefined && <Tag icon={IconCloud}>{detection.cloud_provider}</Tag>}
    </Tags>
  );
}

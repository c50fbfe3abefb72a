// The fields of a record from `country` on, as ASCII JSON, so that a character is one byte and the
// server can concatenate. Threats are a fragment of their own: there are few of each, and many
// combinations.
import { asciiJson } from '../../file/texts/ascii-writer.ts';
import type { ConnectionType, Detection, Rir, Threat } from '../../record.ts';

export type Attributes = {
  readonly country: string;
  readonly rir: Rir;
  readonly connection_type: ConnectionType;
  readonly tor: boolean;
  readonly proxy: boolean;
  readonly vpn: boolean;
  readonly ai_company: string | undefined;
  readonly cloud_provider: string | undefined;
  readonly threat: Threat;
};

/** Concatenated, the members of a record after `country`. */
export function attributeTexts(attributes: Attributes): { network: string; threat: string } {
  const { rir, connection_type, threat } = attributes;
  return {
    network: `${asciiJson({ rir, connection_type, detection: detectionOf(attributes) }).slice(1, -1)},`,
    threat: asciiJson({ threat }).slice(1, -1),
  };
}

export function detectionOf({
  connection_type,
  tor,
  proxy,
  vpn,
  ai_company,
  cloud_provider,
}: Attributes): Detection {
  return {
    is_datacenter: connection_type === 'datacenter',
    is_tor_exit: tor,
    is_proxy: proxy,
    is_vpn: vpn,
    is_residential: connection_type === 'residential',
    is_mobile: connection_type === 'mobile',
    is_ai_crawler: ai_company !== undefined,
    ...(ai_company === undefined ? {} : { ai_company }),
    ...(cloud_provider === undefined ? {} : { cloud_provider }),
  };
}

/** Answers in the form of each registry, about documentation ranges. Structure and peculiarities are theirs, the content is not. */

const card = (...properties: readonly (readonly [name: string, value: unknown])[]) => [
  'vcard',
  [['version', {}, 'text', '4.0'], ...properties.map(([name, value]) => [name, {}, 'text', value])],
];

const event = (eventAction: string, eventDate: string) => ({ eventAction, eventDate });

export const ARIN = {
  rdapConformance: ['nro_rdap_profile_0', 'rdap_level_0', 'cidr0', 'arin_originas0'],
  notices: [{ title: 'Terms of Service', description: ['By using …'] }],
  handle: 'NET-192-0-2-0-1',
  startAddress: '192.0.2.0',
  endAddress: '192.0.2.255',
  ipVersion: 'v4',
  name: 'EXAMPLE',
  type: 'DIRECT ALLOCATION',
  parentHandle: 'NET-192-0-0-0-0',
  events: [event('last changed', '2014-03-14T16:52:05-04:00'), event('registration', '2014-03-14T16:52:05-04:00')],
  entities: [
    {
      handle: 'EX-1',
      roles: ['registrant'],
      vcardArray: card(['fn', 'Example, LLC'], ['kind', 'org']),
      entities: [
        {
          handle: 'ABUSE1-ARIN',
          roles: ['abuse'],
          vcardArray: card(['fn', 'Abuse'], ['org', 'Abuse'], ['kind', 'group'], ['email', 'abuse@example.com']),
        },
        { handle: 'TECH1-ARIN', roles: ['technical'], vcardArray: card(['email', 'tech@example.com']) },
      ],
      objectClassName: 'entity',
    },
  ],
  status: ['active'],
  objectClassName: 'ip network',
  cidr0_cidrs: [{ v4prefix: '192.0.2.0', length: 24 }],
};

export const RIPE = {
  handle: '198.51.100.0 - 198.51.100.191',
  startAddress: '198.51.100.0',
  endAddress: '198.51.100.191',
  ipVersion: 'v4',
  name: 'EXAMPLE-NET',
  type: 'ASSIGNED PA',
  country: 'de',
  entities: [
    { handle: 'EXAMPLE-MNT', roles: ['registrant'], vcardArray: card(['fn', 'EXAMPLE-MNT'], ['kind', 'individual']) },
    { handle: 'PN1-RIPE', roles: ['technical'], vcardArray: card(['fn', 'A Person'], ['kind', 'individual']) },
    {
      handle: 'AR1-RIPE',
      roles: ['abuse'],
      vcardArray: card(['fn', 'Abuse role'], ['kind', 'group'], ['email', 'abuse@example.de']),
    },
    { handle: 'ORG-EX1-RIPE', roles: ['registrant'], vcardArray: card(['fn', 'Beispiel GmbH'], ['kind', 'org']) },
  ],
  events: [event('registration', '2003-03-17T12:15:57Z'), event('last changed', '2017-12-04T14:42:31Z')],
  objectClassName: 'ip network',
};

export const APNIC = {
  rdapConformance: ['history_version_0', 'nro_rdap_profile_0', 'cidr0', 'rdap_level_0'],
  handle: '203.0.113.0 - 203.0.113.255',
  startAddress: '203.0.113.0',
  endAddress: '203.0.113.255',
  ipVersion: 'v4',
  name: 'EXAMPLE-AP',
  type: 'ASSIGNED PORTABLE',
  country: 'AU',
  remarks: [
    { title: 'remarks', description: ['All requests to …'] },
    { title: 'description', description: ['Example Pty Ltd', '1 Example Street'] },
  ],
  entities: [
    {
      handle: 'IRT-EXAMPLE-AU',
      roles: ['abuse'],
      vcardArray: card(['kind', 'group'], ['fn', 'IRT-EXAMPLE-AU'], ['email', 'abuse@example.net.au']),
    },
    {
      handle: 'EX3-AP',
      roles: ['administrative', 'technical'],
      vcardArray: card(['kind', 'individual'], ['fn', 'A Person']),
    },
  ],
  events: [event('registration', '2011-08-10T23:12:35Z'), event('last changed', '2023-04-26T22:57:58Z')],
  objectClassName: 'ip network',
};

export const LACNIC = {
  rdapConformance: ['rdap_level_0', 'nro_rdap_profile_0', 'cidr0', 'lacnic_level_0'],
  handle: '2001:db8::/32',
  startAddress: '2001:0DB8:0000:0000:0000:0000:0000:0000',
  endAddress: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  ipVersion: 'v6',
  type: 'ALLOCATED',
  country: 'BR',
  entities: [
    {
      objectClassName: 'entity',
      handle: '01.234.567/0001-89',
      roles: ['registrant'],
      vcardArray: card(['fn', 'Exemplo S.A.'], ['kind', 'org'], ['email', 'registro@example.br']),
    },
    {
      handle: 'EXA1',
      roles: ['abuse'],
      vcardArray: card(['fn', 'Uma Pessoa'], ['kind', 'individual'], ['email', 'abuse@example.br']),
    },
  ],
  events: [event('registration', '2006-05-31T00:00:00Z'), event('last changed', '2010-01-01T00:00:00Z')],
  objectClassName: 'ip network',
};

export const AFRINIC = {
  handle: '192.88.99.0 - 192.88.99.255',
  startAddress: '192.88.99.0',
  endAddress: '192.88.99.255',
  ipVersion: 'v4',
  name: 'EXAMPLE-AF',
  type: 'ALLOCATED PA',
  country: 'ZA',
  entities: [
    { handle: 'EXAMPLE-MNT', roles: ['registrant'], vcardArray: card(['fn', 'EXAMPLE-MNT']) },
    {
      handle: 'ORG-EX1-AFRINIC',
      roles: ['registrant'],
      vcardArray: card(['kind', 'org'], ['fn', 'Example (Pty) Ltd']),
    },
    { handle: 'AB1-AFRINIC', roles: ['abuse'], vcardArray: card(['fn', 'Abuse'], ['email', 'abuse@example.co.za']) },
  ],
  events: [event('registration', '2009-05-25T00:00:00Z'), event('last changed', '2009-05-26T00:00:00Z')],
  objectClassName: 'ip network',
};

/**
 * The countries of the regions of the large clouds, by the names in the clouds' own lists of addresses. AWS also has
 * zones, named `<region>-<place>`, some of them in another country; a zone that is not listed is in the country of its
 * region.
 *
 * Left out because the operator does not say where they are, and measurements disagree: me-west-1 of AWS, northeurope2
 * of Azure.
 */
export const CLOUD_REGIONS_AS_OF = '2026-11-15';

/** Undefined for regions in several countries and for unknown regions. */
export function countryOfRegion(provider: string, region: string): string | undefined {
  const countries = COUNTRIES.get(provider);
  return countries?.get(region) ?? (provider === 'AWS' ? countries?.get(regionOfZone(region)) : undefined);
}

/** `us-east-1` of `us-east-1-bue-1` and of `us-east-1-wl1-nyc-wlz-1`. */
const regionOfZone = (zone: string): string => /^[a-z-]+-[0-9]+(?=-)/.exec(zone)?.[0] ?? '';

const REGIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AWS: {
    AE: 'me-central-1',
    AR: 'us-east-1-bue-1',
    AU: 'ap-southeast-2 ap-southeast-4',
    BH: 'me-south-1',
    BR: 'sa-east-1',
    CA: 'ca-central-1 ca-west-1',
    CH: 'eu-central-2',
    CL: 'us-east-1-scl-1',
    CN: 'cn-north-1 cn-northwest-1',
    DE: 'eu-central-1 eusc-de-east-1',
    DK: 'eu-north-1-cph-1',
    ES: 'eu-south-2',
    FI: 'eu-north-1-hel-1',
    FR: 'eu-west-3',
    GB: 'eu-west-2',
    HK: 'ap-east-1',
    ID: 'ap-southeast-3',
    IE: 'eu-west-1',
    IL: 'il-central-1',
    IN: 'ap-south-1 ap-south-2',
    IT: 'eu-south-1',
    JP: 'ap-northeast-1 ap-northeast-3',
    KR: 'ap-northeast-2',
    MA: 'eu-west-3-cmn-wlz-1',
    MX: 'mx-central-1 us-east-1-qro-1',
    MY: 'ap-southeast-5',
    NG: 'af-south-1-los-1',
    NZ: 'ap-southeast-6 ap-southeast-2-akl-1',
    OM: 'me-south-1-mct-1',
    PE: 'us-east-1-lim-1',
    PH: 'ap-southeast-1-mnl-1',
    PL: 'eu-central-1-waw-1',
    SE: 'eu-north-1',
    SG: 'ap-southeast-1',
    SN: 'eu-west-3-dss-wlz-1',
    TH: 'ap-southeast-7 ap-southeast-1-bkk-1',
    TW: 'ap-east-2 ap-northeast-1-tpe-1',
    US: 'us-east-1 us-east-2 us-west-1 us-west-2 us-gov-east-1 us-gov-west-1',
    ZA: 'af-south-1',
  },
  Azure: {
    AE: 'uaecentral uaenorth',
    AT: 'austriaeast',
    AU: 'australiac australiac2 australiacentral australiacentral2 australiaeast australiasoutheast',
    BE: 'belgiumcentral',
    BR: 'brazilne brazilnortheast brazilse brazilsouth brazilsoutheast',
    CA: 'canadacentral canadaeast',
    CH: 'switzerlandn switzerlandnorth switzerlandw switzerlandwest',
    CL: 'chilec chilecentral',
    CN: 'chinaeast chinaeast2 chinaeast3 chinanorth chinanorth2 chinanorth3',
    DE: 'germanyn germanynorth germanywc germanywestcentral germanycentral germanynortheast',
    DK: 'denmarkeast',
    ES: 'spaincentral',
    FI: 'finlandcentral',
    FR: 'centralfrance southfrance francec frances francecentral francesouth',
    GB: 'uknorth uksouth uksouth2 ukwest',
    GR: 'greececentral',
    HK: 'eastasia',
    ID: 'indonesiacentral',
    IE: 'northeurope',
    IL: 'israelcentral israelnorthwest',
    IN: 'centralindia southindia westindia jioindiacentral jioindiawest indiasouthcentral',
    IT: 'italynorth',
    JP: 'japaneast japanwest',
    KR: 'koreacentral koreasouth koreasouth2',
    MX: 'mexicocentral',
    MY: 'malaysiasouth malaysiawest',
    NL: 'westeurope',
    NO: 'norwaye norwayeast norwayw norwaywest',
    NZ: 'newzealandnorth',
    PL: 'polandcentral',
    QA: 'qatarcentral',
    SA: 'saudiarabiaeast',
    SE: 'swedencentral swedensouth',
    SG: 'southeastasia',
    TW: 'taiwannorth taiwannorthwest',
    US: `
      centralus centraluseuap eastus eastus2 eastus2euap eastus3 northcentralus southcentralus southcentralus2 southeastus
      southeastus3 southeastus5 northeastus5 westcentralus westus westus2 westus3 usstagec usstagee
      usgovarizona usgoviowa usgovtexas usgovvirginia usdodcentral usdodeast`,
    ZA: 'southafricanorth southafricawest',
  },
  'Google Cloud': {
    AU: 'australia-southeast1 australia-southeast2',
    BE: 'europe-west1',
    BR: 'southamerica-east1',
    CA: 'northamerica-northeast1 northamerica-northeast2',
    CH: 'europe-west6',
    CL: 'southamerica-west1',
    DE: 'europe-west3 europe-west10',
    ES: 'europe-southwest1',
    FI: 'europe-north1',
    FR: 'europe-west9',
    GB: 'europe-west2',
    HK: 'asia-east2',
    ID: 'asia-southeast2',
    IL: 'me-west1',
    IN: 'asia-south1 asia-south2',
    IT: 'europe-west8 europe-west12',
    JP: 'asia-northeast1 asia-northeast2',
    KR: 'asia-northeast3',
    MX: 'northamerica-south1',
    NL: 'europe-west4',
    PL: 'europe-central2',
    QA: 'me-central1',
    SA: 'me-central2',
    SE: 'europe-north2',
    SG: 'asia-southeast1',
    TH: 'asia-southeast3',
    TW: 'asia-east1',
    US: `
      us-central1 us-central2 us-east1 us-east4 us-east5 us-east7 us-south1 us-west1 us-west2 us-west3 us-west4 us-west8`,
    ZA: 'africa-south1',
  },
  'Oracle Cloud': {
    AE: 'me-abudhabi-1 me-dubai-1',
    AU: 'ap-melbourne-1 ap-sydney-1 ap-dcc-canberra-1',
    BD: 'ap-dcc-gazipur-1',
    BR: 'sa-saopaulo-1 sa-vinhedo-1',
    CA: 'ca-montreal-1 ca-toronto-1',
    CH: 'eu-zurich-1 eu-dcc-zurich-1',
    CL: 'sa-santiago-1 sa-valparaiso-1',
    CO: 'sa-bogota-1',
    DE: 'eu-frankfurt-1 eu-frankfurt-2 eu-dcc-rating-1 eu-dcc-rating-2',
    ES: 'eu-madrid-1 eu-madrid-2 eu-madrid-3',
    FR: 'eu-marseille-1 eu-paris-1',
    GB: 'uk-cardiff-1 uk-london-1 uk-gov-cardiff-1 uk-gov-london-1',
    ID: 'ap-batam-1',
    IE: 'eu-dcc-dublin-1 eu-dcc-dublin-2',
    IL: 'il-jerusalem-1',
    IN: 'ap-hyderabad-1 ap-mumbai-1',
    IT: 'eu-milan-1 eu-turin-1 eu-dcc-milan-1 eu-dcc-milan-2',
    JP: 'ap-osaka-1 ap-tokyo-1 ap-chiyoda-1 ap-ibaraki-1',
    KR: 'ap-chuncheon-1 ap-seoul-1',
    MA: 'af-casablanca-1',
    MX: 'mx-monterrey-1 mx-queretaro-1',
    MY: 'ap-kulai-1 ap-kulai-2',
    NL: 'eu-amsterdam-1',
    OM: 'me-dcc-muscat-1',
    QA: 'me-dcc-doha-1',
    RS: 'eu-jovanovac-1',
    SA: 'me-jeddah-1 me-riyadh-1',
    SE: 'eu-stockholm-1',
    SG: 'ap-singapore-1 ap-singapore-2',
    US: `
      us-abilene-1 us-ashburn-1 us-boardman-1 us-chicago-1 us-dallas-1 us-newark-1 us-phoenix-1 us-saltlake-1 us-saltlake-2
      us-sanjose-1 us-westjordan-1 us-dcc-phoenix-1 us-dcc-phoenix-2 us-dcc-phoenix-3 us-gov-ashburn-1 us-gov-chicago-1
      us-gov-phoenix-1 us-langley-1 us-luke-1`,
    ZA: 'af-johannesburg-1',
  },
};

const COUNTRIES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(REGIONS).map(([provider, regions]) => [
    provider,
    new Map(
      Object.entries(regions).flatMap(([country, names]) =>
        names
          .trim()
          .split(/\s+/)
          .map((name) => [name, country] as const),
      ),
    ),
  ]),
);

/** Continents of countries, as GeoNames has them, and the members of the European Union (since 2020). */

const CONTINENTS: Readonly<Record<string, { readonly name: string; readonly countries: string }>> = {
  AF: {
    name: 'Africa',
    countries:
      'DZ AO BJ BW BF BI CV CM CF TD KM CD CG CI DJ EG GQ ER SZ ET GA GM GH GN GW KE LS LR LY MG MW ML MR MU YT MA MZ NA ' +
      'NE NG RE RW SH ST SN SC SL SO ZA SS SD TZ TG TN UG EH ZM ZW',
  },
  AN: { name: 'Antarctica', countries: 'AQ BV GS HM TF' },
  AS: {
    name: 'Asia',
    countries:
      'AF AM AZ BH BD BT BN KH CN CC CX GE HK IN ID IO IR IQ IL JP JO KZ KW KG LA LB MO MY MV MN MM NP KP OM PK PS PH QA ' +
      'SA SG KR LK SY TW TJ TH TR TM AE UZ VN YE',
  },
  EU: {
    name: 'Europe',
    countries:
      'AL AD AT AX BY BE BA BG HR CY CZ DK EE FO FI FR DE GI GR GG VA HU IS IE IM IT JE LV LI LT LU MT MD MC ME NL MK NO ' +
      'PL PT RO RU SM RS SK SI ES SJ SE CH UA GB XK',
  },
  NA: {
    name: 'North America',
    countries:
      'AI AG AW BS BB BZ BM BQ CA KY CR CU CW DM DO SV GL GD GP GT HT HN JM MQ MX MS NI PA PM PR BL KN LC MF VC SX TT TC ' +
      'US VG VI',
  },
  OC: {
    name: 'Oceania',
    countries: 'AS AU CK FJ PF GU KI MH FM NR NC NZ NU NF MP PW PG PN WS SB TK TL TO TV UM VU WF',
  },
  SA: { name: 'South America', countries: 'AR BO BR CL CO EC FK GF GY PY PE SR UY VE' },
};

const BY_COUNTRY = new Map(
  Object.entries(CONTINENTS).flatMap(([code, { name, countries }]) =>
    countries.split(' ').map((country) => [country, { code, name }] as const),
  ),
);

const EUROPEAN_UNION = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '),
);

export function continentOf(country: string): { readonly code: string; readonly name: string } | undefined {
  return BY_COUNTRY.get(country);
}

export function isInEuropeanUnion(country: string): boolean {
  return EUROPEAN_UNION.has(country);
}

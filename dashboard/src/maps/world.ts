/**
 * Countries as shapes in a plane, from Natural Earth by way of `world-atlas`, which names them by ISO 3166-1 numbers.
 * Countries and territories that are too small for its scale of 1:110 million are points.
 */
import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json';

export const WORLD = { width: 960, height: 430 };

export type CountryShape =
  | { readonly code: string; readonly path: string }
  | { readonly code: string; readonly x: number; readonly y: number };

function project(): CountryShape[] {
  // The file has this form; its own type is that of every number in it.
  const topology = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>;
  const { features } = feature(topology, topology.objects.countries);
  // Nothing is registered in Antarctica, and it takes a quarter of the picture.
  const shown = features.filter(({ id }) => id !== ANTARCTICA);
  const projection = geoEqualEarth().fitSize([WORLD.width, WORLD.height], {
    type: 'FeatureCollection',
    features: shown,
  });
  const pathOf = geoPath(projection).digits(1);
  return [
    ...shown.map((country) => ({
      code: SHAPE_CODES.get(String(country.id)) ?? (country.properties.name === 'Kosovo' ? 'XK' : ''),
      path: pathOf(country) ?? '',
    })),
    ...POINTS.map(([code, longitude, latitude]) => {
      const [x, y] = projection([longitude, latitude]) ?? [0, 0];
      return { code, x: Math.round(x), y: Math.round(y) };
    }),
  ];
}

const ANTARCTICA = '010';

/** ISO 3166-1: the numeric codes of the shapes, and where small countries and territories are. */

const NUMBERS = `AE784 AF004 AL008 AM051 AO024 AR032 AT040 AU036 AZ031 BA070 BD050 BE056 BF854 BG100 BI108 BJ204 BN096
BO068 BR076 BS044 BT064 BW072 BY112 BZ084 CA124 CD180 CF140 CG178 CH756 CI384 CL152 CM120 CN156 CO170 CR188 CU192 CY196
CZ203 DE276 DJ262 DK208 DO214 DZ012 EC218 EE233 EG818 EH732 ER232 ES724 ET231 FI246 FJ242 FK238 FR250 GA266 GB826 GE268
GH288 GL304 GM270 GN324 GQ226 GR300 GT320 GW624 GY328 HN340 HR191 HT332 HU348 ID360 IE372 IL376 IN356 IQ368 IR364 IS352
IT380 JM388 JO400 JP392 KE404 KG417 KH116 KP408 KR410 KW414 KZ398 LA418 LB422 LK144 LR430 LS426 LT440 LU442 LV428 LY434
MA504 MD498 ME499 MG450 MK807 ML466 MM104 MN496 MR478 MW454 MX484 MY458 MZ508 NA516 NC540 NE562 NG566 NI558 NL528 NO578
NP524 NZ554 OM512 PA591 PE604 PG598 PH608 PK586 PL616 PR630 PS275 PT620 PY600 QA634 RO642 RS688 RU643 RW646 SA682 SB090
SD729 SE752 SI705 SK703 SL694 SN686 SO706 SR740 SS728 SV222 SY760 SZ748 TD148 TF260 TG768 TH764 TJ762 TL626 TM795 TN788
TR792 TT780 TW158 TZ834 UA804 UG800 US840 UY858 UZ860 VE862 VN704 VU548 YE887 ZA710 ZM894 ZW716`;

const SHAPE_CODES: ReadonlyMap<string, string> = new Map(
  NUMBERS.split(/\s/).map((entry) => [entry.slice(2), entry.slice(0, 2)]),
);

const PLACES = `AD 1.6 42.5, AG -61.8 17.3, AI -63.1 18.2, AS -170.7 -14.3, AW -70 12.5, AX 20 60.2, BB -59.6 13.2,
BH 50.5 26, BL -62.8 17.9, BM -64.8 32.3, BQ -68.3 12.2, CK -159.8 -21.2, CV -23.6 15.1, CW -69 12.2, DM -61.4 15.4,
FM 153.3 7.5, FO -6.9 62.1, GD -61.7 12.1, GF -53 4, GG -2.6 49.5, GI -5.4 36.1, GP -61.5 16.2, GU 144.8 13.4,
HK 114.1 22.4, IM -4.5 54.2, IO 72.4 -7.3, JE -2.1 49.2, KI -167.9 0.9, KM 43.7 -11.9, KN -62.7 17.3, KY -80.9 19.4,
LC -61 13.9, LI 9.5 47.1, MC 7.4 43.8, MF -63.1 18.1, MH 170.3 7, MO 113.5 22.2, MP 145.6 15.8, MQ -61 14.6,
MS -62.2 16.7, MT 14.4 35.9, MU 57.6 -20.3, MV 73.5 3.7, NF 167.9 -29.1, NR 166.9 -0.5, NU -169.9 -19, PF -144.8 -14.7,
PM -56.3 46.9, PW 134.4 7.3, RE 55.5 -21.1, SC 55.5 -4.7, SG 103.8 1.4, SH -5.7 -15.9, SM 12.5 43.9, ST 6.7 0.4,
SX -63.1 18.1, TC -72 21.8, TK -171.8 -9.2, TO -174.8 -20.4, TV 179.2 -8.5, VA 12.4 41.9, VC -61.2 13.2, VG -64.5 18.5,
VI -64.8 18, WF -177.3 -13.9, WS -172.2 -13.8, YT 45.2 -12.8`;

const POINTS: readonly (readonly [code: string, longitude: number, latitude: number])[] = PLACES.split(',').map(
  (entry) => {
    const [code = '', longitude, latitude] = entry.trim().split(' ');
    return [code, Number(longitude), Number(latitude)];
  },
);

/** Computed once, when the map is first loaded. Shapes without a code belong to no country of ISO 3166. */
export const COUNTRY_SHAPES: readonly CountryShape[] = project();

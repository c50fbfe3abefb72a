import type { ConnectionType } from '../record.ts';
import { foldedWords } from './folded-words.ts';

/**
 * Connection types by the name of an organisation, for the tens of thousands of small networks that are not labelled by
 * hand. Based on the names of all networks announced in June 2026, and measured against the hand-labelled table. A word
 * is listed if nearly every name that contains it has that connection type. A word that is right only most of the time
 * ('Communications', 'Networks', 'Solutions', 'Mobile' alone) is not: a missing flag does less harm than a wrong one.
 */
export const NAME_RULES_AS_OF = '2026-11-15';

/*
 * How the patterns work. A name is folded to lower-case ASCII words, with one space between and around them:
 * 'T-Mobile Übersee GmbH' becomes ' t mobile ubersee gmbh '. `words` match whole words of that, `parts` match
 * anywhere inside a word, for compounds ('Musterhochschule', 'examplehosting').
 */

/** The name ends here. */
const END = '(?= $)';
/** Company forms of small firms in Brazil; one with its own network sells internet access. */
const BRAZILIAN_SMALL = '(?:me|epp|eirell?i)';
/** Words that make the 'cloud' or 'VPS' before them a brand of an access provider. */
const ACCESS = '(?:telecom\\w*|broadband|cable|isp|online|communication|provedor|telephony|internet service)';

/** What follows 'Telecom' in the names of providers that sell to homes. */
const AFTER_TELECOM = [
  // Company forms. Western Europe's are left out: there 'X Telecom SAS' and 'X Telecom B.V.' serve offices.
  'ltda|lda|srl|s r l|s r o|s a c|sac|s a s|e ?i ?r ?l|s l|slu?|spa|sp z|llc|ltd|ooo|c a',
  BRAZILIAN_SMALL,
  // The services in the name of a Brazilian provider
  'e|provedor\\w*|servicos?|internet|banda|fibra|tecnologia|comunica\\w+|informatica|multimidia|comercio',
  'cable',
].join('|');

/**
 * Phrases whose words mislead. They are removed before the rules are applied, so that only the rest of the name counts:
 * 'St. Cloud State University' becomes 'State University', 'Exxon Mobil' becomes empty.
 */
const MISLEADING_PHRASES: readonly string[] = [
  // Places that look like a technical term.
  '(?:st|saint|red|mc) ?cloud|cloud county|cloud peak|mobile (?:county|al|alabama|bay|airport|infirmary|gas)',
  'city of mobile',
  'west bank|red bank|river ?bank|outer banks|burbank|fairbanks|college (?:station|park|place|hill)',
  'academy city',
  'university (?:park|place|city|heights)|school (?:street|road)|cabo (?:verde|frio)|fort cable',
  'colo telephone|big data cent\\w+',
  // Firms that sell to schools, professional bodies, and other uses of the words of education.
  'college (?:board|savings|entrance)|school (?:specialty|insurance|bus|employees|supply)|old school',
  'academy (?:sports|mortgage|bank|bus)',
  'educational (?:testing|credit)|student (?:loans?|assistance|agency|clearinghouse|net)',
  'education (?:loan|finance)s?',
  '(?:royal|american|australasian|australian)(?: \\w+)? (?:college|academy) of',
  'college of (?:\\w+ )?(?:pathologists|physicians|surgeons|teachers|nurses|pharmacists|radiology|general)',
  'academic (?:\\w+ ){0,2}theatre|academic newtown|universities retirement|institute of standards',
  'credito educativo|academy health|colegio oficial',
  'colegio de (?:abogados|notarios|registradores|ingenieros|arquitectos|medicos|economistas|profesionales)',
  // 'Mobile' of vans, apps and text messages; cells of bodies and batteries.
  'exxon ?mobil|adria mobil|auto ?mobil\\w*',
  'mobile (?:solutions?|business|security|heartbeat|medical|health\\w*|care|video|television|data)',
  'mobile (?:technolog\\w+|vending|tracking|games?|apps?|software|marketing|media|money|payments?|banking)',
  'mobile (?:access|synchroni[sz]ation|iot|home\\w*|mini|alliance|chain|links|world)',
  '(?:sony|lenovo) mobile|horizon scope mobile|xfera moviles|(?:consumer|sms) cellular|digicel carrier',
  'trust axiata|mobile communications llc|stem cell|cellular (?:and|biology|therap\\w+|solutions?)',
  'sound cellular|telephone exchange',
  // Resellers of airtime and call traffic, by their small company forms.
  'mobile tele\\w+(?= (?:llc|ltd|pty) )',
  // Groups with residential, mobile, datacenter and backbone networks under one name. Only the hand-written table can
  // tell them apart.
  'china ?(?:telecom|mobile|unicom)\\w*|chinanet|t mobile (?:austria|czech|netherlands)|two degrees mobile',
  'advanced wireless network',
  '(?:uzbek|kazakh|ros|citic|saudi|sk|lg|star|national|optimum|atlantique|wataniya) ?tele[ck]om',
  // 'Bank' that is not a financial institution; 'cloud' and 'host' of access providers and of voice services.
  'soft ?bank|data ?banks?|rackbank|food bank|power ?bank|blood bank|bank ?note\\w*',
  `(?:\\w*cloud\\w*|vds|vps|server)(?=(?: \\w+)* ${ACCESS} )`,
  'cloud (?:9|nine|communications?|telephony|pbx|voice|call|kitchens?)|cloud(?:lasers?|sky|call|fone)',
  'fiberhost|afrihost|voice ?host|\\w*hostel\\w*|hostetler|hostmaster|ghost\\w*|hosted',
  'dedicated (?:it|freight)|vps securities|(?:route|name|root) ?servers?',
  'content delivery network ltd',
  // 'Fibre' and 'cable' of manufacturers, wholesalers and hosting providers; submarine cables.
  'dark fib(?:er|re)',
  'fib(?:er|re) ?(?:glass|cement|nanotech|board|construction|asset|management|materials?|grid)',
  'natural fib(?:er|re)s?|(?:oji|carbon|crown castle|uniti|zayo|trans americas|botswana) fib(?:er|re)',
  'fiber(?:hub|xpress|state|ax|ring|light|data|sphere)|eurofiber|whitefiber|optifibre|fibernetics|dedfiberco',
  'cableado\\w*|cables|(?:submarine|subsea|undersea|general|international|ocean|main one|tonga) cable',
  'cable (?:news|harness|assembl\\w+|laborator\\w+|television laborator\\w+)|cablelabs',
  // 'Telecom' that is a school, a supplier or a backbone; 'wireless' that sells modules or serves airports.
  '(?:mines|institut|ecole) telecom',
  '(?:gazprom|\\w*gaz|voen|\\w*transi?t?|\\w*energo|atom|severen|eci|cubic|momentum|xtom global) ?telecom',
  '(?:phase3|gilat|exelera|fusion|golan|mango|asia pacific|sri lanka|railway|sip|voip|biz|city) ?telecom',
  'wireless (?:logic|solutions?|technolog\\w+|innovations?|facilities|research|information|data services)',
  '(?:boingo|sierra|kore|transit|telit|fon|pushware|flowfinity|metro|natural|blue) wireless',
  'broadband(?:one|idc)',
  // Regional mobile carriers with 'wireless' in the name, mostly in the United States.
  '(?:union|nex tech|commnet|carolina west|west central|appalachian|afghan|mascom|antigua|ice) wireless',
  '(?:illinois valley|viaero) wireless',
  // Hosting providers, portals and public bodies with 'internet' in the name.
  '(?:gmo|sakura|wholesale|turnkey|hopone|heart|arsys|livedrive|freethought|flipkart|times|idealo) internet',
  '(?:mapfre|pagseguro|uol|webair|united|positive|gleim|1 1|next level|secure|milesweb|webhorizon) internet',
  '(?:tunisienne d|next generation|locaweb servicos de|under servicos de|eveo servicos de) internet',
  'internet (?:archive|brands|society|initiative|security|securities|registry|domain|names?|numbers)',
  'internet (?:foundation|vikings|marketing|software|systems consortium|data ?cent\\w+|hosting|solutions?)',
  'internet technolog\\w+',
  '(?:la|of|and|data|mass|information) communication|aol|america online|unimed|rackh|power information net',
  'cablevision lightpath|yahoo is net|biznet gio|exabytes network',
];

/** A name that contains one of the words or parts has the role. The first rule that matches decides. */
interface NameRule {
  readonly role: ConnectionType;
  readonly words: readonly string[];
  readonly parts?: readonly string[];
}

const RULES: readonly NameRule[] = [
  {
    // Before education: a university's hospital and a teachers' credit union are not a campus.
    role: 'business',
    words: [
      'credit unions?|federal reserve|hospitals?|infirmary|hopital|hopitaux',
      'university health(?:system| network)',
      // Spanish, Italian, Romanian, German, Indonesian
      'hospitalario|ospedali?|spitalul|spital|rumah sakit|rsud',
    ],
    parts: [
      // French, Italian, German, Dutch, Nordic, Finnish, Slavic, Hungarian, Turkish
      'hospitalier|ospedalier|klinikum|kliniken|krankenh|ziekenhu|sykehus|sygehus|sjukhus|sairaala|szpital',
      'nemocnic|bolnic|korhaz|hastanesi|spital(?= )',
    ],
  },
  {
    role: 'education',
    words: [
      // English
      'univ|univeristy|colleges?|schools?|academ(?:y|ies)|academic|seminary|kindergarten|isd|usd|boces|k ?12',
      'board of regents|r e network|higher learning',
      'institutes? of (?:\\w+ ){0,3}?(?:technology|sciences?|management|education|engineering|arts|design)',
      'institutes? of (?:\\w+ ){0,3}?(?:physics|chemistry|mathematics|medical)',
      '(?:technical|technological) institute|institute for advanced study|research council',
      'research network(?! ltd| limited| llc)|cern|observatory',
      // Spanish, Portuguese, Italian, French, Romanian
      'facultad|faculdades?|facultatea|escuelas?|escolas?|scuola|ecoles?|scoala|colegio|colegiul|liceo',
      'liceul|lycees?|ensino|ensenanza|enseignement',
      'instituto (?:tecnologico|superior|federal(?! de telecom| electoral)|de (?:astrofisica|fisica))',
      'inspectoratul scolar|investigaciones cientificas|recherche scientifique|academie|rectorat',
      // German, Dutch, Nordic, Estonian, Latvian
      'scolaires?|schulverband|scholengroep|scholengemeenschap|studierendenwerk|studentenwerk|augstskola',
      'skolan?|skoler?',
      // Polish, Czech, Slovak, Croatian, Turkish, Russian
      'akademi[aei]|akademiya|szkol[ay]|uczelnia|liceum|vysoke uceni|vysok[ae] skol\\w*|skol[ay]|gymnazium',
      'milli egitim|shkola|gimnaziya',
      // Persian, Indian, Indonesian, Vietnamese, Japanese, Korean, Chinese, Thai, Philippine, romanised
      'daneshgah|poltekkes|institut (?:teknologi|agama|pertanian|seni|ilmu|bisnis)\\w*|sekolah\\w*|smkn?',
      'stmik|stikom|yayasan pendidikan|dai hoc|hoc vien|daigaku|gakuen|gakuin|hakgyo|daxue|rajabhat',
      'rajamangala|pamantasan',
      // National research and education networks
      'nren|renater|cesnet|heanet|sunet|funet|nordunet|uninett|arnes|carnet|garr|rediris|roedunet|ulakbim',
      'restena|aconet|uarnet|litnet|renam|aarnet|reannz|singaren|ernet|bdren|kreonet|kenet|cernet\\d?|cstnet',
      'jisc|internet2|redclara|cudi|reuna|cedia',
      'max planck|fraunhofer|leibniz|helmholtz|weizmann',
    ],
    parts: [
      // University, by the stems of some thirty languages
      'universit|universidad|uniwersytet|univerzit|univerza|sveucilist|fakultet|yliopisto|ulikool|egyetem',
      'panepistimi|daehak|vidyalay|vidyapeet',
      // Colleges and polytechnics
      'hochschul|hogeschool|hogskol|hoyskol|hoegskol|hojskol|korkeakoulu|haskoli|kolledz|foiskola|yuksekokul',
      'okullari|politechni|politecni|polytechni|politekni|politeh?nic',
      // Schools, teaching and research
      'educa(?:ti|ci|ca|t[io]r)|onderwijs|schulen|forschungszentrum',
    ],
  },
  {
    // Before the telecom and hosting rules: 'Ministry of Posts and Telecommunications', 'Bank Data Centre'.
    role: 'business',
    words: [
      'banks?|bancos?|banca|banque|bankasi|banka|bancorp|\\w+bank|sparkasse\\w*|raiffeisen\\w*|insurance',
      'reinsurance|assurances?|payments?|seguros|seguradora|versicherung\\w*|assicurazioni|sigorta\\w*',
      'verzekering\\w*|stock exchange',
      'governments?|gobierno|governo|gouvernement|goverment|ministr\\w+|ministeri\\w*|ministere|ministero',
      'minister(?:stwo|stvo|ul)|kement\\w+|bakanligi|pemerintah|departament\\w*|departments? of|dept of',
      'secretaria|sekretariat|direktorat|agence nationale|state enterprise',
      'courts?|tribunal|justica|justicia|judiciary|senado|parliament|parlament\\w*|congreso|assembleia',
      'police|policia|polizei|polisi|sheriff|army|navy|air force|marine corps|military|defense|defence|dod',
      'dnic|embassy|customs',
      // Regulators, associations and exchange points are named after the industry that they serve
      '(?:tele)?communications? (?:\\w+ )?(?:authority|regulat\\w+|commission|ministry|department|union)',
      'regulat(?:ory|ion|oria|or)|superintendencia|internet (?:neutral |cooperative )?exchange\\w*',
      'exchange points?|ixp?|peering|isp association|service providers? association|camara de',
      'telecom\\w* (?:consult\\w+|equipment|infrastructures?|towers?|regulat\\w+|authority|engineering)',
      'telecom\\w* (?:research|laborator\\w+|software|expense|speciale)',
      'broadband (?:forum|security|research)',
    ],
  },
  {
    role: 'mobile',
    words: [
      // 'Mobile' and the like only next to a telephony term
      'mobile tele(?!vis)\\w+|mobile communications?(?! $)',
      'mobile (?:phones?|cellular|operators?|operations|networks?|interim|services company)',
      '(?:gsm|cdma|telecom|telekom|telefonica|telephone|communications?) (?:mobile|mobil)(?! s r l )',
      'tele\\w+ (?:moviles|movil|movel|celular)|cellular(?! (?:private|s p a) )|movilnet',
      'gsm (?:operator|network|pakistan)|gprs|\\w+ \\w+ gsm(?= $)',
      '(?:salt|free|freedom|boost|rakuten|taiwan|hot|u|t2|swazi|yemen|sky|babilon|t) mobile',
      // Carriers that sell mainly mobile access
      'digicel|africell',
      'airtel (?:africa|uganda|kenya|malawi|zambia|tanzania|rwanda|congo|gabon|niger|tchad|madagascar)',
      'airtel (?:nigeria|ghana|seychelles)|axiata|turkcell|kcell|azercell|lifecell|asiacell|syriatel',
      'telkomsel|smartfren|banglalink|grameenphone|ncell|mobifone|vinaphone|mobitel|mobilink|lycamobile',
      'telkomsel|telekomunikasi selular',
    ],
  },
  {
    role: 'datacenter',
    words: [
      '\\w*host|host\\w*|dedicated|kvm|data ?cent(?:ers?|res?)|datahouse|colo|co location|cdn',
      'content delivery|bare ?metal|iaas|vpns?|idc|gpu',
      // French, Spanish, Portuguese, German, Polish, Czech, Hungarian, Turkish
      'hebergeur|alojamiento web|hospedaje|centro de da[td]os|nuvem|centrum danych|datove centrum|bulut',
      // Hosting providers with many networks under one name
      'akamai|amazon (?:com|data|web|technolog\\w+)|aws|hetzner|ovh|godaddy|linode|vultr|choopa|fastly',
      'edgecast|edgio|limelight|equinix|softlayer|internap|psychz|zenlayer|ionos|xtom|verisign',
    ],
    parts: [
      'hosting|webhost|datacent(?!rum)|colocat|cloud|server(?<!(?:ob|con|re|was)server)|ddos|vps|\\Bvds',
      '\\Bcdn|prox(?:y |ies)|hebergement|hospedagem|serwer|tarhely|adatkozpont|sunucu|mizban|leaseweb',
      'digitalocean|incapsula|imperva|rackspace|quadranet|datacamp|contabo|worldstream',
    ],
  },
  {
    role: 'residential',
    words: [
      // English: cable, fixed wireless, telephone cooperatives
      'wireless|wisps?|wi ?fi|isps?|ftth|fttx|dsl|\\w*adsl|catv|cable ?tv|telephone|telco coop\\w*',
      'rural tele\\w+|telecom\\w* (?:coop\\w*|pvt|private|pty)|starlink',
      'internet (?:llc|pvt|private|pty|coop\\w*|provider|access|fib\\w+|e telec\\w+|via radio)',
      '(?:wireless|rural|high speed|hi speed|satellite|home|community) internet',
      `internet services?(?: providers?| pvt| private| llc| co|${END})|(?:for|and) internet services?`,
      // Trade names in Bangladesh, India and Brazil, without a company form
      `(?:internet|online|communication|dot net|net)${END}`,
      `\\w*telecom(?=(?: (?:${AFTER_TELECOM}) | $))`,
      'telecoms|telcom|\\w*telekom(?= (?:kft|sp|d o o|doo|s r o|ltd|llc|grup)| $)',
      // Spanish, Portuguese
      'cabo|banda larga|banda ancha|provedor\\w*|proveedora? de internet',
      '(?:servicos?|serv|servicios?|acesso|acceso|provision|solucoes) (?:de|a|em|en|de acesso a) internet',
      'prov (?:de|a|em|en|de acesso a) internet|redes de (?:com\\w*|telecom\\w*|tel)|comunicacao multi\\w*',
      'com mult\\w*|scm|tv por cable',
      // Argentina's village cooperatives, which run power, water and the network
      'coop(?:erativas?)?(?: \\w+){0,6}? (?:electric\\w*|elec|luz|serv|servicios?|obras|telef\\w*|provision)',
      'coop(?:erativas?)?(?: \\w+){0,6}? (?:prov|agua)',
      `internet (?:ltda|banda|s r l|srl|sa de c v|s a s|s p a|sp z|s r o)|${BRAZILIAN_SMALL}${END}`,
      // German
      'stadtwerke|gemeindewerke',
      // Polish
      'kablow[aey]\\w*|spoldzielnia (?:mieszkaniowa|telekomunikacyjna)',
      'sieci? (?:osiedlow\\w+|internetow\\w+)',
      // Russian and Ukrainian, romanised
      '(?:kabel|lokaln|domas?hn)\\w+ seti|\\w+sk(?:ie|iye|ye) (?:\\w+ )?seti|teleseti|teleradio ?compan\\w+',
      // Indonesian: 'PT', the company form, and a word for internet access
      '(?<=^ )pt(?: \\w+)*? (?:jaringan|telematika|telekomunikasi|akses|\\w*net|\\w*link|media|multimedia)',
      '(?<=^ )pt(?: \\w+)*? (?:telemedia|networks?|komunikasi|lintas \\w+|internet)',
    ],
    parts: [
      'broadband|wimax|fiber|fibre|fibra|telecomunica(?:coe|cao|cion)',
      '(?:\\b|super|multi|inter|tele)cable(?:vision|net|link|tel|com|tv|color)?(?= )',
      // German, Dutch, Nordic, Finnish, Czech, Hungarian, South Slavic, Russian
      'kabel(?= |n|tv|tele|fern|ov)|breitband|breedband|glasfaser|stadtnetz|glasvezel',
      'bredband|bredbaand|stadsnat|antennelaug|antenneforening|puhelin|valokuitu|laajakaista|szelessav',
      'ele[kc]trosvyaz',
      // Brazil's ISPs with a net, link or web in the name and a company form at its end
      `(?:net|link|web|conect\\w*|connect\\w*)(?= (?:\\w+ ){0,6}(?:ltda|${BRAZILIAN_SMALL}) $)`,
    ],
  },
  {
    // Last, and only to name the word: a name without any match is a business too.
    role: 'business',
    words: [
      'securities|brokers?|brokerage|mortgage|financ\\w+|asset management|pension\\w*|investments?|health',
      'healthcare|medical|clinics?|clinicas?|clinique|salud|saude|nhs',
      'city of|county of|county|town of|village of|borough of|state of|province of|municipality',
      'municipalidad|municipio|prefeitura|ayuntamiento|comune di|kommune|kommun|gemeente|gmina|urzad|stadt',
      'stadtverwaltung|landkreis|belediyesi|diskominfo|dinas|kabupaten|council|commission',
      'airlines?|airways|airports?|aeropuertos?|railways?|petroleum|oil|mining|automotive|motors?|electric',
      'nuclear|casinos?|hotels?|resorts?|broadcasting|newspapers?|publishing|pharma\\w*',
    ],
  },
];

const misleadingPattern = new RegExp(` (?:${MISLEADING_PHRASES.join('|')})(?= )`, 'g');
const rules = RULES.map(({ role, words, parts }) => ({
  role,
  words: new RegExp(` (?:${words.join('|')})(?= )`),
  parts: parts === undefined ? undefined : new RegExp(parts.join('|')),
}));

/** The name as lower-case ASCII words, with one space between and around them, and without misleading phrases. */
function fold(text: string): string {
  // 'Dream Net' is the name of an access provider, 'dream.net' is only a domain.
  const words = foldedWords(text.replace(/\.net\b/gi, ' dotted'));
  return ` ${words.join(' ')} `.replace(misleadingPattern, ' |');
}

/** The text from the start of the word at `from` to the end of the word before `to`. */
function wholeWords(folded: string, from: number, to: number): string {
  return folded.slice(folded.lastIndexOf(' ', from - 1) + 1, folded.indexOf(' ', to - 1));
}

/** The first rule that a folded text matches, with the words that matched. */
function match(folded: string): { role: ConnectionType; word: string } | undefined {
  for (const { role, words, parts } of rules) {
    const found = words.exec(folded) ?? parts?.exec(folded);
    if (found) return { role, word: wholeWords(folded, found.index + 1, found.index + found[0].length) };
  }
  return undefined;
}

/** The role by the name or handle of an organisation, and the word that decided; undefined if no rule matches. */
export function roleByName(name: string, handle?: string): { role: ConnectionType; word: string } | undefined {
  const byName = match(fold(name));
  if (handle === undefined || (byName !== undefined && byName.role !== 'residential')) return byName;
  // About half of all handles end in -NET or -ISP, so the end of a handle is ignored: the bar keeps END from matching.
  const byHandle = match(`${fold(handle).replace(/ (?:isp|internet|scm)(?= )/g, ' |')}|`);
  if (byName === undefined) return byHandle;
  // The name of an access provider with the handle of a datacenter or mobile network: a mixed company, and it is
  // unknown which of its networks this is.
  return byHandle?.role === 'datacenter' || byHandle?.role === 'mobile' ? undefined : byName;
}

/**
 * Classes of words in the names of networks. Unlike the words of name-rules.ts, one of these does not decide the type of
 * a network by itself: it is evidence, and is added up with other evidence. Patterns match whole words of a folded name
 * (lower-case ASCII). Based on the names of all networks announced in June 2026 that no rule recognises.
 */
export const WORD_CLASSES: Readonly<Record<string, readonly string[]>> = {
  /** Words of access providers, in some twenty languages. */
  access: [
    // English
    'broad|band|wire\\w*|airlink|wave|lightwave|speed\\w*|online|lastmile|rural|isp|\\w+isp|provider|access|connectivity',
    'connections?|connect\\w*|\\w+connect|voip|phone|telephon\\w*|lan|\\w{3,}lan|inet\\w*|\\w{3,}link|wisp\\w*|wifi\\w*',
    'optic\\w+|optik\\w*|fib\\w+|tv|\\w{2,}tv|catv|tele|televi\\w+|radio\\w*|sat|satellite|satelit\\w*|intersat|cable\\w*',
    '\\w*cable|multimedia|telenet|telnet|telecom\\w*|telco\\w*|\\w*tel',
    // Spanish, Portuguese, Italian, French
    'comunica\\w*|proveedor\\w*|prov|acesso|acceso|inalambric\\w*|redes?|conex\\w+|conect\\w+|multimidia|guifi\\w*',
    // German, Dutch, Nordic, Polish, Czech, Hungarian
    'kabel\\w*|kablovna|kommunik\\w*|telefon\\w*|spoldzielnia|szolgaltato',
    // Russian, Ukrainian
    'svya[sz]\\w*|svjaz|seti|set|domset|teleseti|gorodsk\\w+|trk|dialog',
    // Turkish, Persian, Indonesian
    'telek\\w*|iletisim|haberlesme|ertebat\\w*|akses|jaringan|koneksi|interkoneksi|komunika\\w*',
  ],
  /** A word that ends or begins with 'net', as the brands of small providers do. */
  net: ['(?!internet|planet|magnet|ethernet|fortinet)\\w+net|net\\w{2,}|net|nett'],
  network: ['networks?|networking|networx'],
  communications: ['communications?|communicaciones|comms?|comunications?|communiations?'],
  internet: ['internet'],
  link: ['links?|linx'],
  finance: [
    'capital|partners|advis\\w+|associates|llp|law|legal|attorneys?|realty|propert(?:y|ies)|estate|trust|fund\\w*|equity',
    'invest\\w*|markets?|credit\\w*|cards?|banking|mutual|accounting|audit|tax|exchange|brokers?|pay|paym\\w+|wealth|asset',
    'insur\\w+|assur\\w+|leasing|loans?|lending|commodities|ubezpieczen|menkul|degerler|yatirim',
  ],
  industry: [
    'industr\\w+|manufactur\\w+|products?|foods?|steel|chemical\\w*|petro\\w*|energ(?:y|ia|ie)|energetyk\\w*|gas|water|paper',
    'construct\\w+|building|auto\\w*|motor\\w*|transport\\w*|logisti\\w+|freight|trucking|shipping|marine|aviation|aero\\w*',
    'avia\\w*|rail\\w*|zeleznic\\w*|dzelzcels|container|terminals?|ports?|travel|retail\\w*|stores?|supply|suppli\\w+|mart',
    'shop\\w*|distribution|equipment|bio\\w*|pharm\\w+|scien\\w+|laborator\\w+|dental|cancer|radiology|genetics|therap\\w+',
    'surgical|hotels?|restaurants?|cement|metals?|gold|iron|semiconductor|devices|instruments?|packaging|plastics?|textil\\w*',
    'furniture|electronics?|elektronik|aerospace|defen[cs]e|agro\\w*|farm\\w*|milk|coffee|beverage|brew\\w+|fashion|toys?',
    'homes?|parts|machine\\w*|engineering|ingenieria|kombinat|zavod|fabryka|werke|fitness|beauty',
  ],
  public: [
    'authority|departments?|departemen|district|federal|agenc(?:y|ia)|administration|bureau|museum|library|church|iglesia',
    'foundation|stiftung|fundac\\w+|association|asociacion|associacao|society|societe|institut\\w*|instytut|commission',
    'municipal\\w*|board|council|police|polis\\w*|public|national\\w*|nacional|nasional|state|republic|estado|courts?|tribes',
    'nation|ministry|badan|pusdatin|dinas|secretari\\w+|subsecretaria|direc\\w+|office|centro|regional|provinc\\w+|gov|govt',
    'prefectur\\w*|landes\\w*|federation|federacao|chamber|camara|union|sindical|charity|jehov\\w*|catholic|archdi\\w*',
    'christian|mission|research|scientific|academic|campus|training|health\\w*|care|medic\\w+|clinic\\w*|patholog\\w*|blood',
    'fire|emergency|safety|parks?|zoo\\w*',
  ],
  media: [
    'entertainment|studios?|games?|gaming|sports?|news|broadcast\\w*|press|publish\\w*|media|productions?|advertis\\w+|music',
    'marketing|magazine|theatre|film\\w*|bet\\w*|casino|lottery|loterija',
  ],
  services: [
    'consult\\w*|management|outsourcing|advisory|holdings?|enterprises?|worldwide|corporate|professional|services?|design',
    'integrat\\w+|automation|monitoring|securit\\w+|analytics|development',
  ],
  technology: [
    'informati\\w+|informasi|informacion\\w*|infotech\\w*|comput\\w+|bilisim|bilgi\\w*|teknoloj\\w*|teknologi|tecno\\w*|tec',
    'yazilim|ict|it|itc|solutions?|solucoes|soluciones|solusi\\w*|systems?|sistem\\w*|systemy|tech|techno\\w*',
  ],
  software: ['software|soft|\\w{3,}soft|softwares|apps?|code\\w*|digit\\w*'],
  hosting: [
    'rack\\w*|\\w*node\\w*|\\w*stack\\w*|\\w*layer\\w*|shield\\w*|edge\\w*|compute|virtu\\w+|web\\w*|\\w+web|dedi\\w*|infra\\w*',
    'labs?|\\w*byte\\w*|bits?|scale\\w*|grid|core\\w*|domains?|storage|managed|platform|stream\\w*|content|anycast|dns|cyber\\w*',
    'secure\\w*|backup|blade\\w*|hyper\\w*|vm\\w*|colo\\w*|dc\\d*|fast\\w*|quantum|nexus|crypto\\w*|block\\w*|mining|miner\\w*',
    'ddos|game\\w*|pixel\\w*|zap|swift\\w*|rapid\\w*|matrix|zone|hoster|bare|metal|gpu|ai|ip|ipv\\d|registry|registrar|server',
    '\\w+ix',
  ],
  data: ['data\\w*|\\w{3,}data|datos|dados|daten\\w*'],
  /** A person who trades under a name: usual in Ukraine, Russia, Romania and the Czech Republic. */
  'sole trader': ['fop|pe|spd|entrepreneur|proprietor\\w*|pfa|osvc'],
  'Iberian name': [
    'silva|santos|souza|oliveira|pereira|ferreira|lima|costa|alves|ribeiro|rodrigues|araujo|jesus|maria|jose|francisco|juan',
    'antonio|carlos|luis|gonzalez|rodriguez|martinez|lopez|garcia|hernandez|perez|sousa|carvalho|gomes|nascimento|barbosa',
    'vieira|moreira|nunes|almeida|rocha|dias|mendes|freitas|cardoso|teixeira|cavalcante|monteiro|moraes|castro|campos|pinto',
    'lopes|marques|batista|fernandes|junior',
  ],
  'Slavic name': ['\\w+(?:ovich|evich|ovych|evych|ovna|evna|enko)'],
};

/** Parts of words that are brands more often than words: 'Vimitel', 'Intersat', 'Datasphere'. */
export const ENDINGS: readonly string[] = [
  ...['net', 'tel', 'telecom', 'telekom', 'com', 'comm', 'link', 'lan', 'line', 'sat', 'tv', 'web', 'media', 'soft'],
  ...['tech', 'data', 'host', 'serv', 'connect', 'it', 'cloud', 'labs', 'node', 'isp', 'set', 'svyaz', 'netz', 'pro'],
  ...['sys', 'max', 'on', 'ix', 'tek', 'tec', 'wave', 'air', 'tron', 'byte', 'rack', 'hub', 'core', 'stack'],
];
export const BEGINNINGS: readonly string[] = [
  ...['net', 'tel', 'inter', 'info', 'web', 'data', 'host', 'tele', 'cyber', 'digi', 'serv', 'air', 'sky', 'micro'],
  ...['soft', 'comp', 'inet', 'wi', 'giga', 'mega', 'multi', 'glob', 'speed', 'fast', 'connect', 'link', 'vir', 'dedi'],
  ...['lan', 'rack', 'node', 'edge', 'hyper', 'opti', 'tera', 'techn', 'tecn', 'infra', 'stream'],
];

/** Company forms and other words that no person is called. */
export const NOT_A_PERSON: ReadonlySet<string> = new Set(
  `ltd llc inc gmbh ltda sa srl srls bv ag ab as oy oyj sas sasu sarl spa kft doo sro zoo pvt limited private corp
  corporation company co pty plc lp llp ooo jsc pjsc ojsc zao oao eood ood ead ad sia uab ou aps nv sl slu eirl cv sac
  sti sirketi sp z o b v s r l a g d k c pte sdn bhd pt fop pe tov me epp eireli lda kg mbh ev ek gbr stichting network
  networks net telecom group holding holdings services solutions technologies technology systems international`.split(
    /\s+/,
  ),
);

/** All words of the page, in Norwegian (bokmål). `en.ts` explains the form. */

export const LANGUAGE = 'nb-NO';

const number = (value: number) => value.toLocaleString(LANGUAGE);
const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;

export const html = {
  language: LANGUAGE,
  direction: 'ltr',
  skip: 'Gå rett til utstederne',
  navigation: 'Visninger',
  issuers: 'Utstedere',
  operations: 'Drift',
  verify: 'Kontroller selv',
  verification: 'Kontroll',
  log: 'Logg',
  unverified: 'Ikke kontrollert ennå',
  unverified_why:
    'Kommandoene <a href="#verify">nederst</a> kontrollerer registeret uten å stole på denne siden.',
  no_script: 'Ingen skript har kjørt, så ingenting er kontrollert her.',
  verify_why:
    'Verten bestemmer hva denne siden viser. Disse kommandoene stoler ikke på noen vert, hvis du har fått fingeravtrykket i <code>PINNED</code> på en annen måte, som på papir. De viser hvem som har signert listen, og når, og oppføringen med id-en i <code>ISSUER</code>. <code>passport-registry verify</code> viser også om den er den nyeste, og hvem som er på vent.',
  verify_with: 'Kommandoer for curl, openssl 3 og GNU coreutils',
  data: 'Data: <a href="issuers.json">issuers.json</a>, signaturen <a href="issuers.sig">issuers.sig</a>, rotnøkkelen <a href="keys/root.json">keys/root.json</a>, kontrollsummer <a href="SHA256SUMS">SHA256SUMS</a>, <a href="schemas/registry.openapi.json">grensesnittet</a>. Endringer av status og nivå: <a href="changes.atom">strøm</a>, <a href="changes.json">data</a>.',
  feed: 'Endringer av status og nivå',
  about: 'Et pass sier hvem som står bak en agent. Dette er utstederne av pass.',
  intro: 'Hva er dette?',
  intro_agent:
    '<strong>En agent viser et pass.</strong> Der står det hvem agenten handler for, og en utsteder har signert det.',
  intro_registry:
    '<strong>Dette registeret sier hvem som er anerkjent,</strong> og hvem som er suspendert eller tilbakekalt. Operatøren signerer listen.',
  intro_browser:
    '<strong>Nettleseren din kontrollerer signaturen</strong> før den viser en utsteder: hva den er, siden når og hvorfor.',
  development:
    '<strong>Signert med en utviklingsnøkkel.</strong> Ingen står bak dette registeret: ikke stol på utstederne, og ikke fest nøkkelen.',
  operator: 'Operatør: {addresses}. Verten kan endre dette: ikke hent rotnøkkelen bare på denne måten.',
  plain_list: '{count} utstedere per {time}. Hvem som er på vent, viser denne kopien ikke.',
  plain_too_many:
    'For mange utstedere for denne siden uten skript: alle er i <a href="issuers.json">issuers.json</a>.',
  plain_issuer: 'Utsteder',
  plain_status: 'Status',
  plain_tier: 'Nivå',
  plain_since: 'Siden',
  plain_summary: '{name}: {standing}. {label} {since}. Ikke kontrollert, og viser ikke hvem som er på vent.',
  plain_reason: 'Grunn: «{reason}»',
  plain_unverified: 'Denne kopien er ikke kontrollert, og viser ikke om utstederen er på vent.',
  plain_none: 'ingen',
  plain_check:
    'For å kontrollere det selv, hent fingeravtrykket til rotnøkkelen fra operatøren på en annen måte. Disse kommandoene stoler ikke på noen vert, og godtar bare nivåene founding og certified:',
  plain_thumbprint: 'Fingeravtrykket på denne siden, som må være det samme:',
  plain_not_yet:
    'Verifikatorer som ikke krever noen minstetid, godtar den allerede, og det gjør kommandoene nedenfor også.',
  plain_alike: 'Navnet ligner på {others}. Bare id-en skiller dem.',
  missing_name: 'Register over utstedere av agentpass',
  missing_title: 'Ikke funnet',
  missing_why:
    'Denne verten har ingen fil på denne URL-en. Det beviser ingenting om en utsteder som URL-en nevner: den signerte listen avgjør.',
  missing_list: 'Alle utstedere',
} as const;

export const status = {
  active: 'aktiv',
  suspended: 'suspendert',
  revoked: 'tilbakekalt',
  'on hold': 'på vent',
} as const;

export const standings = {
  trusted: 'anerkjent',
  listed: 'oppført',
  tests: 'bare for tester',
  notYet: 'ikke ennå',
  'on hold': 'på vent',
  suspended: 'suspendert',
  revoked: 'tilbakekalt',
} as const;

export const tiers = {
  founding: 'Et stiftende medlem av registeret, som operatøren har undersøkt.',
  certified: 'Operatøren har undersøkt utstederen.',
  registered: 'Operatøren har ført opp utstederen, men ikke undersøkt den.',
  sandbox: 'Bare for tester: godta passene bare i en test.',
} as const;

export const since = {
  trusted: 'Anerkjent siden',
  listed: 'Oppført siden',
  trustedToCome: 'Anerkjent fra',
  listedToCome: 'Oppført fra',
  trustedBefore: 'Var anerkjent fra',
  listedBefore: 'Var oppført fra',
} as const;

export const fields = {
  issuer_id: 'Id',
  tier: 'Nivå',
  status: 'Status',
  status_reason: 'Grunn',
  jwks_uri: 'Nøkler (JWKS)',
  discovery_uri: 'Metadata',
  policy_uri: 'Retningslinjer',
  certified_since: 'Siden',
  last_audit: 'Siste revisjon',
  geographical_scope: 'Steder',
  domain_scope: 'Områder',
  passport_types: 'Passtyper',
  contact: 'Kontakt',
} as const;

export const list = {
  title: 'Utstedere',
  operations: 'Drift',
  search: 'Søk',
  example: 'Navn, vert, område, land',
  filters: 'Filtre',
  clear: 'Nullstill',
  any: {
    tier: 'Alle nivåer',
    status: 'Alle statuser',
    geography: 'Alle steder',
    domain: 'Alle områder',
    passportType: 'Alle passtyper',
  },
  filter: {
    tier: 'Nivå',
    status: 'Status',
    geography: 'Sted',
    domain: 'Område',
    passportType: 'Passtype',
  },
  issuer: 'Utsteder',
  all: (all: number) => `${count(all, 'utsteder', 'utstedere')}.`,
  some: (found: number, all: number) => `${number(found)} av ${count(all, 'utsteder', 'utstedere')}.`,
  none: 'Ingen utstedere passer.',
  namesLoading: 'Navnene lastes fortsatt.',
  holdUnknown: 'Ukjent: denne verten sier det ikke.',
  empty: 'Registeret har ingen utstedere.',
  showAll: 'Vis alle',
  total: (found: number, what: string) => `${number(found)} ${what}`,
  totals: 'Utstedere etter status',
  pages: 'Sider',
  page: (page: number, pages: number) => `Side ${number(page)} av ${number(pages)}`,
  previous: '← Forrige',
  next: 'Neste →',
  everywhere: 'Hele verden',
  more: (rest: number) => ` +${number(rest)}`,
  notVerified: 'Ingen utstedere: registeret er ikke kontrollert.',
  unlisted: 'Ikke i dette registeret',
  old: (day: string) => `Gammel liste fra ${day}`,
} as const;

export const overview = {
  title: 'Hele registeret',
  tier: 'Nivåer',
  places: 'Steder, med utstedere av alle statuser, og dem for hele verden',
  count: number,
} as const;

export const names = {
  alike: (others: string) => ` – ligner på ${others}`,
  unknown:
    'Hva folk kaller disse utstederne er ikke kjent: denne verten sender ikke navnene som registeret har publisert.',
} as const;

export const hints = {
  unknown: 'Denne listen kjenner ikke det som lenken ber om: {names}.',
} as const;

export const otherPlaceNames = {
  AE: 'UAE, Emiratene',
  CI: 'Cote d Ivoire',
  CZ: 'Den tsjekkiske republikk',
  GB: 'UK, England',
  MM: 'Burma',
  NL: 'Holland',
  SZ: 'Swaziland',
  TL: 'Timor-Leste',
  TR: 'Türkiye',
  US: 'Amerika',
} as const;

export const changes = {
  title: 'Siste endringer',
  uncovered:
    'Denne verten sender ingen endringer av status og nivå som kan kontrolleres, så ingen vises. {feed} har dem uten kontroll.',
  feed: 'Strømmen',
  none: 'Ingen endringer av status eller nivå siden {since}.',
  added: (to: string) => `ny: ${to}`,
  many: (issuers: number) => count(issuers, 'utsteder', 'utstedere'),
  loading: 'Leser endringene…',
  now: 'Nå',
} as const;

export const issuer = {
  back: '← Alle utstedere',
  id: 'Id:',
  share: 'Lenke til deling',
  alike: 'Dette navnet ligner på andres. Bare id-en skiller dem:',
  nameUnknown: 'Hva folk kaller den er ikke kjent.',
  sentence: {
    trusted: '{name} har vært anerkjent av {registry} siden {since}{before}.',
    listed: '{name} har vært oppført av {registry} siden {since}{before}, uten undersøkelse.',
    tests: '{name} har vært oppført av {registry} bare for tester, siden {since}{before}.',
    notYet: '{name} blir {trusted} av {registry} først fra {since}.',
    held: '{name} var {trusted} av {registry} fra {since}, og er på vent.',
    stopped: '{name} var {trusted} av {registry} fra {since}, og {steps}{reason}',
    toCome: {
      tests: '{name} er oppført av {registry} bare for tester.',
      held: '{name} blir {trusted} av {registry} først fra {since}, og er på vent.',
      stopped: '{name}, {trusted} av {registry} først fra {since}, {steps}{reason}',
    },
    before: (from: string, to: string) => `, med en suspensjon fra ${from} til ${to}`,
    steps: {
      active: (day: string) => `aktiv igjen ${day}`,
      suspended: (day: string) => `suspendert ${day}`,
      revoked: (day: string) => `tilbakekalt ${day}`,
    },
    now: { suspended: 'er suspendert', revoked: 'er tilbakekalt' },
    changed: (steps: string) => `ble ${steps}`,
    reason: '. Oppgitt grunn: {reason}',
    noReason: '. Ingen grunn er oppgitt.',
    reasonUnknown: '. Grunnen er ikke kjent.',
    end: '.',
  },
  trust: {
    trusted:
      'Dette registeret anerkjenner utstederen. Dine egne retningslinjer avgjør om du godtar den: etter nivå, områder og steder.',
    listed:
      'Dette registeret fører opp utstederen, men har ikke undersøkt den. Dine egne retningslinjer avgjør om du godtar den: etter nivå, områder og steder.',
    tests: 'Denne utstederen er bare for tester.',
    notYet:
      'Denne utstederen blir {trusted} først fra {day}. Verifikatorer som ikke krever noen minstetid, godtar den allerede.',
    stopped: {
      suspended:
        'Denne utstederen er suspendert. En verifikator som har denne listen, avviser utstederen og alle passene dens.',
      revoked:
        'Denne utstederen er tilbakekalt for godt. En verifikator som har denne listen, avviser utstederen og alle passene dens.',
    },
    held: 'Denne utstederen er på vent, {since}. Verifikatorer som spør registeret etter nyeste stand, avviser utstederen og alle passene dens, som om den var suspendert. De som bare leser listen, vet ikke om dette.',
    heldSince: 'siden {time}',
    heldBy: 'per {time}; siden når er ukjent',
    holdUnknown: ' Om den er på vent er ukjent, fordi denne verten ikke sier det.',
    old: 'I denne gamle listen er denne utstederen {status}. Verifikatorer avviser listen, så den avgjør ingenting.',
    oldUnknown: '{id} er ikke i denne gamle listen. Verifikatorer avviser listen, så den avgjør ingenting.',
    unknown: '{id} er ikke i dette registeret. Ingen utsteder med denne id-en er anerkjent eller oppført.',
  },
  heldRecord: '(aktiv i oppføringen)',
  statusSince: ' siden {day}; før: {from}',
  purpose: 'Hva passene er til',
  keys: 'Hvor nøklene er',
  history: 'Historikk',
  use: 'Bruk denne utstederen',
  decision: 'Hva en verifikator avgjør',
  record: 'Oppføringen som JSON',
  recordInList:
    'Dette er oppføringen i den signerte listen. {file} er en usignert kopi av den. Avgjør ingenting etter kopien alene.',
  recordProven: 'Dette er oppføringen som den signerte publiseringserklæringen beviser.',
  undeclared: 'ikke oppgitt',
  undeclaredScope: 'ikke oppgitt: retningslinjer som krever en verdi, avviser utstederen',
  nothing: 'ingen',
  similar:
    'Lignende id-er og navn i registeret (et lignende navn betyr ikke at utstederne har med hverandre å gjøre):',
  notSimilar: 'Registeret har ingen lignende id.',
  listed: 'Dette registeret har utstederen {id}.',
  misplaced: 'Listen inneholder {id}, men denne verten sender ikke filen til denne utstederen.',
} as const;

export const use = {
  code: 'Klar til å kjøre i Node.js, nettlesere og edge-miljøer. Rotnøkkelen i koden kommer fra denne siden: sammenlign fingeravtrykket først.',
  noCode: {
    tests: 'Her er det ingen kode å kopiere: denne utstederen er bare for tester.',
    notYet: 'Her er det ingen kode å kopiere: denne utstederen er ikke anerkjent eller oppført ennå.',
    stopped: 'Her er det ingen kode å kopiere: verifikatorer avviser denne utstederen.',
  },
  compare: 'sammenlign fingeravtrykket først:',
  copy: 'Kopier',
  copied: 'Kopiert',
  select: 'Trykk Ctrl+C for å kopiere',
  boxes: 'Hva ville du krevd av en utsteder?',
  sinceDays: 'anerkjent eller oppført i 90 dager eller mer',
  auditDays: 'revidert de siste 400 dagene',
  policy:
    'Det samme som retningslinjer for tillit: endre dem for å se hva en verifikator ville avgjort. Av hver liste trenger utstederen minst én verdi.',
  accepted: 'En verifikator med disse retningslinjene godtar utstederen.',
  acceptedAlready:
    'En verifikator med disse retningslinjene godtar utstederen allerede, enda den først blir {trusted} fra {day}.',
  rejected: 'En verifikator med disse retningslinjene avviser utstederen.',
  notJson: 'Dette er ikke JSON: {message}.',
  notPolicy: 'Dette er ikke retningslinjer for tillit: {message}.',
  schema: 'Hva retningslinjer kan inneholde, står i {schema}.',
} as const;

export const attestation = {
  print: 'Skriv ut et kontrollark',
  title: 'Hva en nettleser har kontrollert i {registry}',
  page: 'Side',
  verified: 'Kontrollert',
  list: 'Liste fra',
  checkpoint: 'Sjekkpunkt fra',
  record: 'Oppføring',
  none: 'ingen',
  proven:
    'Rotnøkkelen har signert listen med denne hashen, og listen har denne oppføringen. Sjekkpunktet sier at listen var den nyeste da det ble signert. Et navn og en grunn beviser ingenting. Dette arket er ikke noe bevis: det sier hva som skal kontrolleres.',
  check: 'Hvordan du kontrollerer det',
  how: 'Hent fingeravtrykket til rotnøkkelen fra operatøren på en annen måte, og sammenlign det med det over. Kjør så disse kommandoene, som ikke stoler på noen vert, og som bare godtar nivåene founding og certified:',
} as const;

export const history = {
  title: 'Historikk fra loggen',
  read: 'Les historikken',
  readOlder: 'Les eldre lister',
  reading: 'Leser…',
  about:
    'Endringer av oppføringen mellom listene som loggen {origin} nevner fram til listen på denne siden, nyeste først. Nettleseren din kontrollerer hver post mot hodet til loggen, og hver liste mot hashen i posten. Den kontrollerer ikke at rotnøkkelen signerte de eldre listene: den som har nøkkelen til loggen, kan legge til poster med hvilken som helst liste og tid. En liste som ikke er i loggen, mangler.',
  complete: 'Begynnelsen av loggen er nådd.',
  reached: (sequence: number | undefined, updatedAt: string | undefined) =>
    `Lest tilbake til publisering ${sequence} fra ${updatedAt}.`,
  publication: (sequence: number) => `, publisering ${sequence}`,
  since: ' eller før, men etter publisering {sequence} fra {time}',
  gap: (why: string) => `: ${why}, så hva den endret er ukjent`,
  missing: 'denne verten sender ikke listen',
  altered: 'denne verten sender ingen liste med hashen i posten',
  'too large': 'denne verten sender en fil som er for stor til å leses her',
  has: 'har utstederen',
  hasNot: 'har ikke utstederen',
  first: (has: string) => `den første listen i loggen ${has}`,
  oldest: (has: string) => `den eldste listen som kan leses ${has}`,
  added: 'lagt til i listen',
  removed: 'fjernet fra listen',
  now: 'nå',
  proof: 'Bevis: post {entry} i loggen, {statement} i den, og {list} som den nevner.',
  proofWithoutList: 'Bevis: post {entry} i loggen, og {statement} i den.',
  statement: 'erklæringen',
  list: 'listen',
} as const;

export const verdict = {
  checking: 'Kontrollerer…',
  nothingYet: 'Ingenting nedenfor er kontrollert ennå.',
  good: 'Kontrollert i nettleseren din',
  asOf: (age: string) => `nyeste liste, bevist ${age}`,
  undated: (day: string) => `liste fra ${day}, kanskje ikke den nyeste`,
  late: (age: string) => `${age}, men den siste oppdateringen mislyktes`,
  provenIssuer: 'Utsteder kontrollert i nettleseren din',
  provenAbsence: 'Fravær kontrollert i nettleseren din',
  failures: {
    forged: 'Ikke kontrollert: ikke stol på noe her',
    expired: 'Utdatert: verifikatorer avviser denne listen',
    unreachable: 'Ikke kontrollert: intet svar',
    clock: 'Ikke kontrollert: en klokke går feil',
    host: 'Ikke kontrollert: denne verten har en feil',
  },
  wait: 'Hvis dette blir stående, si fra til operatøren, og bruk et annet speil.',
  badTitle: 'Ikke kontrollert',
  oldTitle: 'Utdatert',
  again: 'Prøv igjen',
} as const;

export const causes = {
  forged:
    'Rotnøkkelen har ikke signert det denne verten sender, eller noe som den har signert, mangler. Rett etter en publisering går dette over i løpet av et minutt.',
  expired:
    'Operatøren er for sen, eller denne verten holder en nyere liste tilbake. Utstedere kan ha blitt suspendert eller tilbakekalt siden. Nedenfor er den gamle listen; hvis ikke, prøv igjen. Driften sier hva som har utløpt.',
  unreachable: 'Denne verten svarer ikke. Det sier ingenting om registeret. Kontroller nettet ditt.',
  clock:
    'Denne enheten sier at klokken er {time}, som ikke passer med tidene som denne verten sender: klokken på enheten, hos operatøren eller på verten går feil.',
  host: 'Denne verten sender ikke filene til registeret slik de er. Ingenting viser at en signatur er feil.',
} as const;

export const verification = {
  provenRecord:
    'Rotnøkkelen har signert en erklæring om en liste. Hasher fra denne erklæringen og nedover beviser oppføringen til {id}. Hele listen lastes fortsatt.',
  provenNone:
    'Rotnøkkelen har signert en erklæring om en liste. Hasher fra denne erklæringen og nedover beviser at listen ikke har noen utsteder {id}. Hele listen lastes fortsatt.',
  rootKey: 'Rotnøkkel',
  pinned: ', festet i denne siden',
  rotated: ', som rotnøkkelen til denne siden har overlatt til. Last siden på nytt.',
  list: 'Liste',
  updated: '{count}, oppdatert {time} ({age})',
  updatedAt: 'oppdatert {time} ({age})',
  issuers: (all: number) => count(all, 'utsteder', 'utstedere'),
  payloadHash: 'Hash av listen',
  checkpoint: 'Sjekkpunkt',
  noCheckpoint:
    'denne verten sender ikke noe, så den kan skjule en nyere liste, og hvilke utstedere som er på vent; denne listen godtas til {time}',
  signed: 'nevner denne listen eller en tidligere; signert {time} ({age}), gyldig til {until}',
  onHold: 'På vent',
  held: (ids: string) =>
    `${ids}: verifikatorer som leser sjekkpunkter, behandler disse utstederne som suspendert`,
  host: 'Vert',
  late: 'den siste oppdateringen mislyktes',
  limits: 'Hva kontrollen viser, og hva den ikke kan vise',
  shows:
    'Nettleseren din hentet listen, signaturen og rotnøkkelen fra denne verten. Den kontrollerte at rotnøkkelen har fingeravtrykket som er bygd inn i denne siden, at signaturen over nøyaktig bytene i listen er gyldig, og at listen er gyldig og ikke for gammel. Hvert minutt mens siden er åpen, spør den etter endringer, og kontrollerer at rotnøkkelen har signert hashene av dem.',
  cannot:
    'Denne siden kan ikke vise at den selv er ærlig. Verten som sender listen, sender også denne siden, med fingeravtrykket i den. En uærlig vert kan sende en side som påstår hva som helst. Så sammenlign fingeravtrykket med et som du har fått på en annen måte. Før viktige avgjørelser, kontroller utenfor denne siden, med kommandoene nedenfor eller med biblioteket for verifikatorer.',
  own: 'Fingeravtrykket som du har fått på en annen måte',
  same: 'Den samme nøkkelen.',
  different: 'IKKE den samme nøkkelen: ikke stol på noe her.',
  differentTitle: 'Ikke din nøkkel',
  length: (whole: number, given: number) => `Et fingeravtrykk har ${whole} tegn; dette har ${given}.`,
} as const;

export const log = {
  good: 'I loggen til registeret',
  otherTitle: 'Ikke bevist å være den samme loggen',
  other:
    'Denne verten beviser ikke at loggen fortsetter loggen som denne siden godtok før. Andre ser kanskje en annen logg. En verifikator som har festet loggen, avviser en som ikke fortsetter loggen den har godtatt.',
  noProofTitle: 'Ikke bevist å være i loggen til registeret',
  noProof:
    'Denne verten beviser ikke at listen på denne siden er i loggen til registeret. Andre ser kanskje en annen liste. En verifikator som har festet loggen, avviser en liste uten dette beviset.',
  wait: 'Rett etter en publisering forsvinner denne advarselen i løpet av et minutt. Hvis ikke, si fra til operatøren av registeret, og bruk et annet speil.',
  log: 'Logg',
  head: (size: number) => `: et hode med ${count(size, 'post', 'poster')}, signert med nøkkelen til loggen`,
  thisList: 'Denne listen',
  entry: (sequence: number, index: number) =>
    `publisering ${sequence}, bevist som post ${index} i dette hodet`,
  newer: (more: number) =>
    `. Denne siden har ikke lest ${count(more, 'post', 'poster')} etter den: det kan finnes en nyere liste`,
  witnesses: 'Vitner',
  noCosignatures: 'ukjent, fordi denne verten ikke sender medsignaturer.',
  claimed: 'Denne verten påstår medsignaturer med disse navnene og tidene, som ikke kontrolleres her:',
  named: 'Under {operations} står det hvilke av dem som er gyldige med nøklene som registeret nevner.',
  pinned: ' Bare nøkler som du selv har festet, beviser at vitnene er uavhengige av registeret.',
  operations: 'drift',
  more: (rest: number) => `og ${number(rest)} til`,
  at: ' {time} ({age})',
  future: 'i framtiden',
  limits: 'Hva loggen viser, og hva denne siden ikke kan kontrollere',
  shows:
    'En logg er en liste over alt som rotnøkkelen signerer, der poster bare legges til. Rotnøkkelen nevner denne loggen og nøkkelen til den i erklæringen som publiserte denne listen. Nettleseren din kontrollerte at denne nøkkelen signerte hodet til loggen, og at hodet inneholder denne erklæringen. Mens denne siden er åpen, kontrollerer den også at hvert senere hode inneholder de tidligere. Når du lukker siden eller laster den på nytt, glemmer den hodene.',
  cannot:
    'Dette viser ikke at alle ser den samme loggen: den som har nøkkelen til loggen, kan signere én logg for deg og en annen for andre. Ærlige vitner medsignerer bare hoder som inneholder hvert hode de har medsignert før. En medsignatur har navnet på vitnet og id-en til nøkkelen, men ikke nøkkelen. Denne siden kjenner bare nøklene som registeret selv nevner, hvis det nevner noen. En uærlig vert kan vise hvilket som helst navn og hvilken som helst tid, og kan utelate medsignaturer.',
  pin: 'For at medsignaturene skal telle, hent nøklene til vitnene på en annen måte. Fest dem i et {anchor}, med antallet av dem som du krever: feltene {log}, {witnesses} og {quorum}. Biblioteket for verifikatorer godtar da bare lister i en logg som nok av disse vitnene har medsignert. Se {document} i biblioteket.',
  anchor: 'tillitsanker',
} as const;

export const page = {
  notLoaded: 'Denne delen kunne ikke lastes. Verten har kanskje en nyere side. {reload}',
  reload: 'Last på nytt',
  rolledBack: 'denne verten sender en eldre liste enn beviset av utstederen',
} as const;

export const operations = {
  about:
    'Tilstanden til registeret, for medlemmene. Nettleseren din har kontrollert signaturene. Denne siden spør ingen annen vert enn sin egen.',
  well: 'Registeret er i orden: verifikatorer godtar listen til {until}, og denne siden har ikke funnet noe galt.{unchecked}',
  unchecked: ' Det som er ukjent nedenfor, kunne den ikke kontrollere.',
  attention: 'Dette trenger oppmerksomhet:',
  concerns: {
    expired: 'listen har utløpt',
    unconfirmed: 'ingenting bekrefter at listen er den nyeste',
    report: 'rapporten om speilene er ikke gyldig',
    mirrors: (wrong: number, all: number) =>
      `${number(wrong)} av ${count(all, 'speil', 'speil')} er ikke oppdatert`,
    witnesses: (cosigned: number) => `bare ${count(cosigned, 'vitne har', 'vitner har')} medsignert loggen`,
  },
  updated: 'Oppdatert',
  nobody: 'ingen utsteder',
  unknown: 'ukjent, fordi ikke noe sjekkpunkt sier det',
  signed: 'Signert',
  signer: 'Signert av',
  byRoot: 'rotnøkkelen',
  byOnline: (keys: number | undefined) =>
    keys === undefined
      ? 'en nettnøkkel; denne verten sender ikke delegeringen til den'
      : keys === 1
        ? 'en nettnøkkel (den eneste)'
        : `en av ${number(keys)} nettnøkler`,
  none: 'ukjent: denne verten sender ikke noe, så den kan skjule en nyere liste',
  keys: 'Neste frister',
  event: 'Hendelse',
  when: 'Når',
  checkpointEnds: 'Sjekkpunktet utløper, hvis ikke et nyere signeres',
  checkpointEnded: 'Sjekkpunktet har utløpt: verifikatorer avviser listen til et nyere er signert',
  delegationEnds: 'Delegeringen til nettnøklene utløper, hvis ikke rotnøkkelen signerer en ny',
  delegationEnded: 'Delegeringen til nettnøklene har utløpt: rotnøkkelen må signere en ny',
  unknownWhen: 'ukjent: denne verten sender ikke delegeringen',
  listEnds:
    'Verifikatorer avviser listen som for gammel, hvis ikke en nyere liste eller et nyere sjekkpunkt signeres',
  head: 'Hode',
  entries: (size: number) => count(size, 'post', 'poster'),
  publicationOf: (sequence: number, entry: number) =>
    `publisering ${sequence}, bevist som post ${number(entry)}`,
  unprovenLog: 'ukjent: denne siden har ikke noe bevis for en logg.',
  noLog: 'Registeret publiserer ingen logg.',
  mirrors: 'Speil',
  mirror: 'Speil',
  state: 'Tilstand',
  behind: 'Etter med',
  listOf: 'Listen er fra',
  reported: 'Hva registeret fant på speilene sine {time} ({age}). Nøkkelen til sjekkpunktet har signert det.',
  noReport: 'Ukjent: denne verten sender ingen rapport fra registeret om speilene.',
  badReport: 'Ukjent: denne verten sender en rapport fra registeret som ikke er gyldig:',
  noMirrors: 'Registeret nevner ingen speil.',
  states: {
    'in sync': 'oppdatert',
    behind: 'etter',
    ahead: 'foran',
    expired: 'utløpt: verifikatorer avviser det',
    altered: 'endret: verifikatorer avviser det',
    unreachable: 'svarer ikke',
  },
  witness: 'Vitne',
  cosigned: 'Medsignerte dette hodet',
  never: 'denne verten sender ingen gyldig medsignatur',
  quorum: (quorum: number, all: number) =>
    `Registeret krever ${number(quorum)} av ${count(all, 'vitne', 'vitner')}. Nettleseren din kontrollerte medsignaturene med nøklene som registeret nevner.`,
  said: 'Registeret sa det {time} ({age}).',
  noWitnesses: 'Registeret nevner ingen vitner.',
  unknownWitnesses: 'Ukjent: denne verten sender ingen rapport der registeret nevner vitnene sine.',
} as const;

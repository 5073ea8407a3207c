/** All words of the page, in German. `en.ts` explains the form. */

export const LANGUAGE = 'de-DE';

const number = (value: number) => value.toLocaleString(LANGUAGE);
const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;

export const html = {
  language: LANGUAGE,
  direction: 'ltr',
  skip: 'Direkt zu den Ausstellern',
  navigation: 'Ansichten',
  issuers: 'Aussteller',
  operations: 'Betrieb',
  verify: 'Selbst prüfen',
  verification: 'Prüfung',
  log: 'Log',
  unverified: 'Noch nicht geprüft',
  unverified_why: 'Die Befehle <a href="#verify">am Ende</a> prüfen ohne diese Seite.',
  no_script: 'Ohne Skript ist hier nichts geprüft.',
  verify_why:
    'Der Host bestimmt, was diese Seite zeigt. Diese Befehle vertrauen keinem Host, wenn Sie den Fingerabdruck in <code>PINNED</code> anders bekommen haben, etwa auf Papier. Sie zeigen, wer die Liste wann signiert hat, und den Eintrag der Id in <code>ISSUER</code>. <code>passport-registry verify</code> zeigt auch, ob sie die neueste und wer angehalten ist.',
  verify_with: 'Befehle für curl, openssl 3 und GNU coreutils',
  data: 'Daten: <a href="issuers.json">issuers.json</a>, Signatur <a href="issuers.sig">issuers.sig</a>, Root-Schlüssel <a href="keys/root.json">keys/root.json</a>, Prüfsummen <a href="SHA256SUMS">SHA256SUMS</a>, <a href="schemas/registry.openapi.json">die Schnittstelle</a>. Änderungen von Status und Stufe: <a href="changes.atom">Feed</a>, <a href="changes.json">Daten</a>.',
  feed: 'Änderungen von Status und Stufe',
  about: 'Ein Pass sagt, wer hinter einem Agenten steht. Dies sind die Aussteller von Pässen.',
  intro: 'Was ist das?',
  intro_agent:
    '<strong>Ein Agent zeigt einen Pass,</strong> den ein Aussteller signiert hat: Er sagt, für wen der Agent handelt.',
  intro_registry:
    '<strong>Dieses Register sagt, wer anerkannt ist,</strong> wer ausgesetzt und wer widerrufen ist. Sein Betreiber signiert die Liste.',
  intro_browser:
    '<strong>Ihr Browser prüft die Signatur,</strong> bevor er einen Aussteller zeigt: was er ist, seit wann und warum.',
  development:
    '<strong>Mit einem Entwicklungsschlüssel signiert.</strong> Niemand steht dahinter: Vertrauen Sie weder den Ausstellern noch dem Schlüssel.',
  operator:
    'Betreiber: {addresses}. Der Host könnte diese Angaben ändern: Holen Sie den Root-Schlüssel nicht nur auf diesem Weg.',
  plain_list: '{count} Aussteller, Stand {time}. Wer angehalten ist, zeigt diese Kopie nicht.',
  plain_too_many:
    'Zu viele Aussteller für diese Seite ohne Skript: alle sind in <a href="issuers.json">issuers.json</a>.',
  plain_issuer: 'Aussteller',
  plain_status: 'Status',
  plain_tier: 'Stufe',
  plain_since: 'Seit',
  plain_summary: '{name}: {standing}. {label} {since}. Nicht geprüft, ohne Angabe, ob angehalten.',
  plain_reason: 'Grund: „{reason}“',
  plain_unverified: 'Diese Kopie ist nicht geprüft und zeigt nicht, ob der Aussteller angehalten ist.',
  plain_none: 'keine',
  plain_check:
    'Zum Prüfen holen Sie den Fingerabdruck des Root-Schlüssels auf anderem Weg vom Betreiber. Diese Befehle vertrauen keinem Host und nehmen nur die Stufen founding und certified an:',
  plain_thumbprint: 'Der Fingerabdruck auf dieser Seite, der derselbe sein muss:',
  plain_not_yet:
    'Prüfer, deren Richtlinie keine Mindestzeit verlangt, nehmen ihn schon jetzt an, und auch die Befehle unten.',
  plain_alike: 'Zum Verwechseln ähnlich: {others}. Nur die Id unterscheidet sie.',
  missing_name: 'Register der Aussteller von Agentenpässen',
  missing_title: 'Nicht gefunden',
  missing_why:
    'Dieser Host hat unter dieser URL keine Datei. Das beweist nichts über einen Aussteller, den die URL nennt: Es entscheidet die signierte Liste.',
  missing_list: 'Alle Aussteller',
} as const;

export const status = {
  active: 'aktiv',
  suspended: 'ausgesetzt',
  revoked: 'widerrufen',
  'on hold': 'angehalten',
} as const;

export const standings = {
  trusted: 'anerkannt',
  listed: 'gelistet',
  tests: 'nur für Tests',
  notYet: 'noch nicht',
  'on hold': 'angehalten',
  suspended: 'ausgesetzt',
  revoked: 'widerrufen',
} as const;

export const tiers = {
  founding: 'Ein Gründungsmitglied des Registers, das der Betreiber geprüft hat.',
  certified: 'Der Betreiber hat den Aussteller geprüft.',
  registered: 'Der Betreiber hat den Aussteller gelistet, aber nicht geprüft.',
  sandbox: 'Nur für Tests: Nehmen Sie seine Pässe nur in einem Test an.',
} as const;

export const since = {
  trusted: 'Anerkannt seit',
  listed: 'Gelistet seit',
  trustedToCome: 'Anerkannt ab',
  listedToCome: 'Gelistet ab',
  trustedBefore: 'War anerkannt ab',
  listedBefore: 'War gelistet ab',
} as const;

export const fields = {
  issuer_id: 'Id',
  tier: 'Stufe',
  status: 'Status',
  status_reason: 'Grund',
  jwks_uri: 'Schlüssel (JWKS)',
  discovery_uri: 'Metadaten',
  policy_uri: 'Richtlinie',
  certified_since: 'Seit',
  last_audit: 'Letztes Audit',
  geographical_scope: 'Orte',
  domain_scope: 'Bereiche',
  passport_types: 'Passarten',
  contact: 'Kontakt',
} as const;

export const list = {
  title: 'Aussteller',
  operations: 'Betrieb',
  search: 'Suche',
  example: 'Name, Host, Bereich, Land',
  filters: 'Filter',
  clear: 'Zurücksetzen',
  any: {
    tier: 'Jede Stufe',
    status: 'Jeder Status',
    geography: 'Jeder Ort',
    domain: 'Jeder Bereich',
    passportType: 'Jede Passart',
  },
  filter: {
    tier: 'Stufe',
    status: 'Status',
    geography: 'Ort',
    domain: 'Bereich',
    passportType: 'Passart',
  },
  issuer: 'Aussteller',
  all: (all: number) => `${count(all, 'Aussteller', 'Aussteller')}.`,
  some: (found: number, all: number) => `${number(found)} von ${count(all, 'Aussteller', 'Ausstellern')}.`,
  none: 'Keine passenden Aussteller.',
  namesLoading: 'Die Namen werden noch geladen.',
  holdUnknown: 'Unbekannt: Dieser Host sagt es nicht.',
  empty: 'Das Register hat keine Aussteller.',
  showAll: 'Alle zeigen',
  total: (found: number, what: string) => `${number(found)} ${what}`,
  totals: 'Aussteller nach Status',
  pages: 'Seiten',
  page: (page: number, pages: number) => `Seite ${number(page)} von ${number(pages)}`,
  previous: '← Zurück',
  next: 'Weiter →',
  everywhere: 'Weltweit',
  more: (rest: number) => ` +${number(rest)}`,
  notVerified: 'Keine Aussteller: Das Register ist nicht geprüft.',
  unlisted: 'Nicht in diesem Register',
  old: (day: string) => `Alte Liste vom ${day}`,
} as const;

export const overview = {
  title: 'Das ganze Register',
  tier: 'Stufen',
  places: 'Orte, mit Ausstellern von jedem Status und denen für die ganze Welt',
  count: number,
} as const;

export const names = {
  alike: (others: string) => ` – zum Verwechseln ähnlich: ${others}`,
  unknown:
    'Wie man diese Aussteller nennt, ist nicht bekannt: Dieser Host sendet die Namen nicht, die das Register veröffentlicht hat.',
} as const;

export const hints = {
  unknown: 'Diese Liste kennt nicht, was der Link verlangt: {names}.',
} as const;

export const otherPlaceNames = {
  AE: 'VAE',
  CI: 'Elfenbeinküste',
  CZ: 'Tschechische Republik',
  GB: 'UK, Großbritannien',
  MM: 'Burma',
  NL: 'Holland',
  SZ: 'Swasiland',
  TL: 'Osttimor',
  TR: 'Türkiye',
  US: 'USA, Amerika',
} as const;

export const changes = {
  title: 'Letzte Änderungen',
  uncovered:
    'Dieser Host sendet keine Änderungen von Status und Stufe, die sich prüfen lassen, also werden keine gezeigt. Der {feed} nennt sie ungeprüft.',
  feed: 'Feed',
  none: 'Keine Änderungen von Status oder Stufe seit dem {since}.',
  added: (to: string) => `neu: ${to}`,
  many: (issuers: number) => count(issuers, 'Aussteller', 'Aussteller'),
  loading: 'Die Änderungen werden gelesen…',
  now: 'Jetzt',
} as const;

export const issuer = {
  back: '← Alle Aussteller',
  id: 'Id:',
  share: 'Link zum Teilen',
  alike: 'Dieser Name ähnelt dem von anderen. Nur die Id unterscheidet sie:',
  nameUnknown: 'Wie man ihn nennt, ist nicht bekannt.',
  sentence: {
    trusted: '{name} ist seit dem {since} von {registry} anerkannt{before}.',
    listed: '{name} ist seit dem {since} von {registry} gelistet{before}, ohne Prüfung.',
    tests: '{name} ist seit dem {since} von {registry} nur für Tests gelistet{before}.',
    notYet: '{name} wird von {registry} erst ab dem {since} {trusted}.',
    held: '{name} war ab dem {since} von {registry} {trusted} und ist zurzeit angehalten.',
    stopped: '{name} war ab dem {since} von {registry} {trusted} und {steps}{reason}',
    toCome: {
      tests: '{name} ist von {registry} nur für Tests gelistet.',
      held: '{name} wird von {registry} erst ab dem {since} {trusted} und ist zurzeit angehalten.',
      stopped: '{name}, von {registry} erst ab dem {since} {trusted}, {steps}{reason}',
    },
    before: (from: string, to: string) => `, mit einer Aussetzung vom ${from} bis zum ${to}`,
    steps: {
      active: (day: string) => `am ${day} wieder aktiv`,
      suspended: (day: string) => `am ${day} ausgesetzt`,
      revoked: (day: string) => `am ${day} widerrufen`,
    },
    now: { suspended: 'ist ausgesetzt', revoked: 'ist widerrufen' },
    changed: (steps: string) => `wurde ${steps}`,
    reason: '. Angegebener Grund: {reason}',
    noReason: '. Ein Grund ist nicht angegeben.',
    reasonUnknown: '. Der Grund ist nicht bekannt.',
    end: '.',
  },
  trust: {
    trusted:
      'Dieses Register erkennt den Aussteller an. Ihre eigene Richtlinie entscheidet, ob Sie ihn annehmen: nach Stufe, Bereichen und Orten.',
    listed:
      'Dieses Register listet den Aussteller, hat ihn aber nicht geprüft. Ihre eigene Richtlinie entscheidet, ob Sie ihn annehmen: nach Stufe, Bereichen und Orten.',
    tests: 'Dieser Aussteller ist nur für Tests.',
    notYet:
      'Dieser Aussteller wird erst ab dem {day} {trusted}. Prüfer, deren Richtlinie keine Mindestzeit verlangt, nehmen ihn schon jetzt an.',
    stopped: {
      suspended:
        'Dieser Aussteller ist ausgesetzt. Ein Prüfer, der diese Liste hat, lehnt den Aussteller und alle seine Pässe ab.',
      revoked:
        'Dieser Aussteller ist endgültig widerrufen. Ein Prüfer, der diese Liste hat, lehnt den Aussteller und alle seine Pässe ab.',
    },
    held: 'Dieser Aussteller ist angehalten, {since}. Prüfer, die nach dem neuesten Stand des Registers fragen, lehnen den Aussteller und alle seine Pässe ab, als wäre er ausgesetzt. Wer nur die Liste liest, weiß nichts davon.',
    heldSince: 'seit {time}',
    heldBy: 'Stand {time}; seit wann, ist unbekannt',
    holdUnknown: ' Ob er angehalten ist, ist unbekannt, weil dieser Host es nicht sagt.',
    old: 'In dieser alten Liste ist dieser Aussteller {status}. Prüfer lehnen die Liste ab, also entscheidet sie nichts.',
    oldUnknown:
      '{id} ist nicht in dieser alten Liste. Prüfer lehnen die Liste ab, also entscheidet sie nichts.',
    unknown: '{id} ist nicht in diesem Register. Kein Aussteller mit dieser Id ist anerkannt oder gelistet.',
  },
  heldRecord: '(im Eintrag aktiv)',
  statusSince: ' seit dem {day}; vorher: {from}',
  purpose: 'Wofür seine Pässe gelten',
  keys: 'Wo seine Schlüssel sind',
  history: 'Verlauf',
  use: 'Diesen Aussteller verwenden',
  decision: 'Was ein Prüfer entscheidet',
  record: 'Eintrag als JSON',
  recordInList:
    'Dies ist der Eintrag in der signierten Liste. {file} ist eine unsignierte Kopie des Eintrags. Entscheiden Sie nichts nach der Kopie allein.',
  recordProven: 'Dies ist der Eintrag, den die signierte Erklärung zur Veröffentlichung beweist.',
  undeclared: 'nicht angegeben',
  undeclaredScope: 'nicht angegeben: Eine Richtlinie, die danach fragt, lehnt den Aussteller ab',
  nothing: 'nicht vorhanden',
  similar:
    'Ähnliche Ids und Namen im Register (ein ähnlicher Name bedeutet nicht, dass die Aussteller zusammengehören):',
  notSimilar: 'Das Register hat keine ähnliche Id.',
  listed: 'Dieses Register hat den Aussteller {id}.',
  misplaced: 'Die Liste enthält {id}, aber dieser Host sendet die Datei dieses Ausstellers nicht.',
} as const;

export const use = {
  code: 'Läuft so in Node.js, Browsern und Edge-Umgebungen. Der Root-Schlüssel darin kommt von dieser Seite: Vergleichen Sie zuerst seinen Fingerabdruck.',
  noCode: {
    tests: 'Code zum Kopieren gibt es hier nicht: Dieser Aussteller ist nur für Tests.',
    notYet: 'Code zum Kopieren gibt es hier nicht: Dieser Aussteller ist noch nicht anerkannt oder gelistet.',
    stopped: 'Code zum Kopieren gibt es hier nicht: Prüfer lehnen diesen Aussteller ab.',
  },
  compare: 'zuerst den Fingerabdruck vergleichen:',
  copy: 'Kopieren',
  copied: 'Kopiert',
  select: 'Strg+C zum Kopieren',
  boxes: 'Was würden Sie von einem Aussteller verlangen?',
  sinceDays: 'seit 90 Tagen oder länger anerkannt oder gelistet',
  auditDays: 'in den letzten 400 Tagen auditiert',
  policy:
    'Dasselbe als Vertrauensrichtlinie: Ändern Sie sie, um zu sehen, was ein Prüfer entscheiden würde. In jeder Liste muss mindestens ein Wert auf den Aussteller zutreffen.',
  accepted: 'Ein Prüfer mit dieser Richtlinie nimmt den Aussteller an.',
  acceptedAlready:
    'Ein Prüfer mit dieser Richtlinie nimmt den Aussteller schon jetzt an, obwohl er erst ab dem {day} {trusted} wird.',
  rejected: 'Ein Prüfer mit dieser Richtlinie lehnt den Aussteller ab.',
  notJson: 'Dies ist kein JSON: {message}.',
  notPolicy: 'Dies ist keine Vertrauensrichtlinie: {message}.',
  schema: 'Was eine Richtlinie enthalten kann, steht in {schema}.',
} as const;

export const attestation = {
  print: 'Ein Prüfblatt drucken',
  title: 'Was ein Browser in {registry} geprüft hat',
  page: 'Seite',
  verified: 'Geprüft am',
  list: 'Liste vom',
  checkpoint: 'Checkpoint vom',
  record: 'Eintrag',
  none: 'keiner',
  proven:
    'Der Root-Schlüssel hat die Liste mit diesem Hash signiert, und die Liste hat diesen Eintrag. Der Checkpoint sagt, dass die Liste die neueste war, als er signiert wurde. Ein Name und ein Grund beweisen nichts. Dieses Blatt ist kein Beweis: Es sagt, was zu prüfen ist.',
  check: 'Wie man es prüft',
  how: 'Holen Sie den Fingerabdruck des Root-Schlüssels auf anderem Weg vom Betreiber, und vergleichen Sie ihn mit dem obigen. Führen Sie dann diese Befehle aus, die keinem Host vertrauen und nur die Stufen founding und certified annehmen:',
} as const;

export const history = {
  title: 'Verlauf aus dem Log',
  read: 'Den Verlauf lesen',
  readOlder: 'Ältere Listen lesen',
  reading: 'Wird gelesen…',
  about:
    'Änderungen des Eintrags zwischen den Listen, die das Log {origin} bis zur Liste auf dieser Seite nennt, die neuesten zuerst. Ihr Browser prüft jeden Eintrag des Logs gegen dessen Kopf und jede Liste gegen den Hash in ihrem Eintrag. Er prüft nicht, dass der Root-Schlüssel die älteren Listen signiert hat: Wer den Schlüssel des Logs hat, kann Einträge mit jeder Liste und jeder Zeit hinzufügen. Eine Liste, die nicht im Log steht, fehlt.',
  complete: 'Der Anfang des Logs ist erreicht.',
  reached: (sequence: number | undefined, updatedAt: string | undefined) =>
    `Gelesen bis zurück zur Veröffentlichung ${sequence} vom ${updatedAt}.`,
  publication: (sequence: number) => `, Veröffentlichung ${sequence}`,
  since: ' oder davor, aber nach der Veröffentlichung {sequence} vom {time}',
  gap: (why: string) => `: ${why}, also ist unbekannt, was sie geändert hat`,
  missing: 'dieser Host sendet ihre Liste nicht',
  altered: 'dieser Host sendet keine Liste mit dem Hash im Eintrag',
  'too large': 'dieser Host sendet eine Datei, die zu groß ist, um hier gelesen zu werden',
  has: 'hat den Aussteller',
  hasNot: 'hat den Aussteller nicht',
  first: (has: string) => `die erste Liste im Log ${has}`,
  oldest: (has: string) => `die älteste lesbare Liste ${has}`,
  added: 'zur Liste hinzugefügt',
  removed: 'aus der Liste entfernt',
  now: 'jetzt',
  proof: 'Beweis: Eintrag {entry} des Logs, seine {statement} und die {list}, die sie nennt.',
  proofWithoutList: 'Beweis: Eintrag {entry} des Logs und seine {statement}.',
  statement: 'Erklärung',
  list: 'Liste',
} as const;

export const verdict = {
  checking: 'Wird geprüft…',
  nothingYet: 'Noch ist nichts geprüft.',
  good: 'In Ihrem Browser geprüft',
  asOf: (age: string) => `${age} als neueste bestätigt`,
  undated: (day: string) => `Liste vom ${day}, vielleicht überholt`,
  late: (age: string) => `${age}, aber die letzte Aktualisierung schlug fehl`,
  provenIssuer: 'Aussteller in Ihrem Browser geprüft',
  provenAbsence: 'Abwesenheit in Ihrem Browser geprüft',
  failures: {
    forged: 'Nicht geprüft: Vertrauen Sie hier nichts',
    expired: 'Veraltet: Prüfer lehnen diese Liste ab',
    unreachable: 'Nicht geprüft: keine Antwort',
    clock: 'Nicht geprüft: falsche Uhr',
    host: 'Nicht geprüft: Fehler des Hosts',
  },
  wait: 'Bleibt das so, sagen Sie es dem Betreiber, und nehmen Sie einen anderen Spiegel.',
  badTitle: 'Nicht geprüft',
  oldTitle: 'Veraltet',
  again: 'Noch einmal versuchen',
} as const;

export const causes = {
  forged:
    'Der Root-Schlüssel hat nicht signiert, was dieser Host sendet, oder es fehlt etwas, das er signiert hat. Direkt nach einer Veröffentlichung endet das binnen einer Minute.',
  expired:
    'Der Betreiber ist im Verzug, oder dieser Host hält eine neuere Liste zurück. Seither können Aussteller ausgesetzt oder widerrufen worden sein. Unten steht die alte Liste; wenn nicht, versuchen Sie es noch einmal. Der Betrieb sagt, was abgelaufen ist.',
  unreachable: 'Dieser Host antwortet nicht. Das sagt nichts über das Register. Prüfen Sie Ihre Verbindung.',
  clock:
    'Dieses Gerät sagt, es sei {time}, was nicht zu den Zeiten passt, die dieser Host sendet: Die Uhr dieses Geräts, des Betreibers oder des Hosts geht falsch.',
  host: 'Dieser Host sendet die Dateien des Registers nicht so, wie sie sind. Nichts zeigt, dass eine Signatur falsch ist.',
} as const;

export const verification = {
  provenRecord:
    'Der Root-Schlüssel hat eine Erklärung über eine Liste signiert. Hashes von dieser Erklärung an abwärts beweisen den Eintrag von {id}. Die ganze Liste wird noch geladen.',
  provenNone:
    'Der Root-Schlüssel hat eine Erklärung über eine Liste signiert. Hashes von dieser Erklärung an abwärts beweisen, dass die Liste keinen Aussteller {id} hat. Die ganze Liste wird noch geladen.',
  rootKey: 'Root-Schlüssel',
  pinned: ', in dieser Seite festgelegt',
  rotated: ', an den der Root-Schlüssel dieser Seite übergeben hat. Laden Sie die Seite neu.',
  list: 'Liste',
  updated: '{count}, aktualisiert am {time} ({age})',
  updatedAt: 'aktualisiert am {time} ({age})',
  issuers: (all: number) => count(all, 'Aussteller', 'Aussteller'),
  payloadHash: 'Hash der Liste',
  checkpoint: 'Checkpoint',
  noCheckpoint:
    'dieser Host sendet keinen, also könnte er eine neuere Liste verbergen, und welche Aussteller angehalten sind; diese Liste gilt bis {time}',
  signed: 'nennt diese Liste oder eine frühere; signiert am {time} ({age}), gültig bis {until}',
  onHold: 'Angehalten',
  held: (ids: string) => `${ids}: Prüfer, die Checkpoints lesen, behandeln diese Aussteller wie ausgesetzte`,
  host: 'Host',
  late: 'die letzte Aktualisierung schlug fehl',
  limits: 'Was die Prüfung zeigt und was nicht',
  shows:
    'Ihr Browser hat die Liste, die Signatur und den Root-Schlüssel von diesem Host geholt. Er hat geprüft, dass der Root-Schlüssel den Fingerabdruck hat, der in diese Seite eingebaut ist, dass die Signatur über genau die Bytes der Liste gültig ist und dass die Liste gültig und nicht zu alt ist. Solange die Seite offen ist, fragt er jede Minute nach Änderungen und prüft, dass der Root-Schlüssel ihre Hashes signiert hat.',
  cannot:
    'Diese Seite kann nicht zeigen, dass sie selbst ehrlich ist. Der Host, der die Liste sendet, sendet auch diese Seite mit dem Fingerabdruck darin. Ein unehrlicher Host kann eine Seite senden, die alles behauptet. Vergleichen Sie also den Fingerabdruck mit einem, den Sie auf anderem Weg bekommen haben. Prüfen Sie vor wichtigen Entscheidungen außerhalb dieser Seite, mit den Befehlen unten oder mit der Bibliothek für Prüfer.',
  own: 'Der Fingerabdruck, den Sie auf anderem Weg bekommen haben',
  same: 'Derselbe Schlüssel.',
  different: 'NICHT derselbe Schlüssel: Vertrauen Sie hier nichts.',
  differentTitle: 'Nicht Ihr Schlüssel',
  length: (whole: number, given: number) => `Ein Fingerabdruck hat ${whole} Zeichen; dieser hat ${given}.`,
} as const;

export const log = {
  good: 'Im Log des Registers',
  otherTitle: 'Nicht als dasselbe Log bewiesen',
  other:
    'Dieser Host beweist nicht, dass sein Log das Log fortsetzt, das diese Seite zuvor angenommen hat. Andere sehen vielleicht ein anderes Log. Ein Prüfer, der das Log festgelegt hat, lehnt eines ab, das nicht fortsetzt, was er angenommen hat.',
  noProofTitle: 'Nicht als im Log des Registers bewiesen',
  noProof:
    'Dieser Host beweist nicht, dass die Liste auf dieser Seite im Log des Registers steht. Andere sehen vielleicht eine andere Liste. Ein Prüfer, der das Log festgelegt hat, lehnt eine Liste ohne diesen Beweis ab.',
  wait: 'Direkt nach einer Veröffentlichung verschwindet diese Warnung binnen einer Minute. Wenn nicht, sagen Sie es dem Betreiber des Registers, und nehmen Sie einen anderen Spiegel.',
  log: 'Log',
  head: (size: number) =>
    `: ein Kopf mit ${count(size, 'Eintrag', 'Einträgen')}, signiert vom Schlüssel des Logs`,
  thisList: 'Diese Liste',
  entry: (sequence: number, index: number) =>
    `Veröffentlichung ${sequence}, bewiesen als Eintrag ${index} dieses Kopfs`,
  newer: (more: number) =>
    `. Diese Seite hat ${count(more, 'Eintrag', 'Einträge')} danach nicht gelesen: Es kann eine neuere Liste geben`,
  witnesses: 'Zeugen',
  noCosignatures: 'unbekannt, weil dieser Host keine Mitsignaturen sendet.',
  claimed:
    'Dieser Host behauptet Mitsignaturen mit diesen Namen zu diesen Zeiten, die hier nicht geprüft werden:',
  named: 'Der {operations} zeigt, welche davon unter den Schlüsseln gültig sind, die das Register nennt.',
  pinned:
    ' Nur Schlüssel, die Sie selbst festgelegt haben, beweisen, dass die Zeugen vom Register unabhängig sind.',
  operations: 'Betrieb',
  more: (rest: number) => `und ${number(rest)} weitere`,
  at: ' am {time} ({age})',
  future: 'in der Zukunft',
  limits: 'Was das Log zeigt, und was diese Seite nicht prüfen kann',
  shows:
    'Ein Log ist eine Liste von allem, was der Root-Schlüssel signiert, zu der nur Einträge hinzukommen. Der Root-Schlüssel nennt dieses Log und dessen Schlüssel in der Erklärung, mit der er diese Liste veröffentlicht hat. Ihr Browser hat geprüft, dass dieser Schlüssel den Kopf des Logs signiert hat und dass der Kopf diese Erklärung enthält. Solange diese Seite offen ist, prüft er auch, dass jeder spätere Kopf die früheren enthält. Wenn Sie die Seite schließen oder neu laden, vergisst sie die Köpfe.',
  cannot:
    'Dies zeigt nicht, dass alle dasselbe Log sehen: Wer den Schlüssel des Logs hat, kann ein Log für Sie signieren und ein anderes für andere. Ehrliche Zeugen signieren nur Köpfe mit, die jeden Kopf enthalten, den sie zuvor mitsigniert haben. Eine Mitsignatur hat den Namen des Zeugen und die Id seines Schlüssels, aber nicht den Schlüssel. Diese Seite kennt nur die Schlüssel, die das Register selbst nennt, falls es welche nennt. Ein unehrlicher Host kann jeden Namen und jede Zeit zeigen und Mitsignaturen weglassen.',
  pin: 'Damit die Mitsignaturen zählen, holen Sie die Schlüssel der Zeugen auf anderem Weg. Legen Sie sie in einem {anchor} fest, mit der Zahl von ihnen, die Sie verlangen: in seinen Angaben {log}, {witnesses} und {quorum}. Die Bibliothek für Prüfer nimmt dann nur Listen in einem Log an, das genug dieser Zeugen mitsigniert haben. Siehe {document} in der Bibliothek.',
  anchor: 'Vertrauensanker',
} as const;

export const page = {
  notLoaded: 'Dieser Teil lädt nicht. Der Host hat vielleicht eine neuere Seite. {reload}',
  reload: 'Neu laden',
  rolledBack: 'dieser Host sendet eine ältere Liste als sein Beweis des Ausstellers',
} as const;

export const operations = {
  about:
    'Der Zustand des Registers, für seine Mitglieder. Ihr Browser hat die Signaturen geprüft. Diese Seite fragt keinen Host außer ihrem eigenen.',
  well: 'Das Register ist in Ordnung: Prüfer nehmen seine Liste bis {until} an, und diese Seite hat keinen Fehler gefunden.{unchecked}',
  unchecked: ' Was unten unbekannt ist, konnte sie nicht prüfen.',
  attention: 'Das braucht Aufmerksamkeit:',
  concerns: {
    expired: 'die Liste ist abgelaufen',
    unconfirmed: 'nichts bestätigt, dass die Liste die neueste ist',
    report: 'der Bericht über die Spiegel ist nicht gültig',
    mirrors: (wrong: number, all: number) =>
      `${number(wrong)} von ${count(all, 'Spiegel', 'Spiegeln')} nicht auf gleichem Stand`,
    witnesses: (cosigned: number) =>
      `nur ${count(cosigned, 'Zeuge hat', 'Zeugen haben')} das Log mitsigniert`,
  },
  updated: 'Aktualisiert',
  nobody: 'kein Aussteller',
  unknown: 'unbekannt, weil kein Checkpoint es sagt',
  signed: 'Signiert',
  signer: 'Signiert von',
  byRoot: 'dem Root-Schlüssel',
  byOnline: (keys: number | undefined) =>
    keys === undefined
      ? 'einem Online-Schlüssel; dieser Host sendet die Delegation an ihn nicht'
      : keys === 1
        ? 'einem Online-Schlüssel (dem einzigen)'
        : `einem von ${number(keys)} Online-Schlüsseln`,
  none: 'unbekannt: Dieser Host sendet keinen, also könnte er eine neuere Liste verbergen',
  keys: 'Nächste Fristen',
  event: 'Ereignis',
  when: 'Wann',
  checkpointEnds: 'Der Checkpoint läuft ab, wenn kein neuerer signiert wird',
  checkpointEnded: 'Der Checkpoint ist abgelaufen: Prüfer lehnen die Liste ab, bis ein neuerer signiert ist',
  delegationEnds:
    'Die Delegation an die Online-Schlüssel läuft ab, wenn der Root-Schlüssel keine neue signiert',
  delegationEnded:
    'Die Delegation an die Online-Schlüssel ist abgelaufen: Der Root-Schlüssel muss eine neue signieren',
  unknownWhen: 'unbekannt: Dieser Host sendet die Delegation nicht',
  listEnds:
    'Prüfer lehnen die Liste als zu alt ab, wenn keine neuere und kein neuerer Checkpoint signiert wird',
  head: 'Kopf',
  entries: (size: number) => count(size, 'Eintrag', 'Einträge'),
  publicationOf: (sequence: number, entry: number) =>
    `Veröffentlichung ${sequence}, bewiesen als Eintrag ${number(entry)}`,
  unprovenLog: 'unbekannt: Diese Seite hat keinen Nachweis eines Logs.',
  noLog: 'Das Register veröffentlicht kein Log.',
  mirrors: 'Spiegel',
  mirror: 'Spiegel',
  state: 'Zustand',
  behind: 'Rückstand',
  listOf: 'Seine Liste ist vom',
  reported:
    'Was das Register am {time} ({age}) auf seinen Spiegeln gefunden hat. Der Schlüssel des Checkpoints hat es signiert.',
  noReport: 'Unbekannt: Dieser Host sendet keinen Bericht des Registers über seine Spiegel.',
  badReport: 'Unbekannt: Dieser Host sendet einen Bericht des Registers, der nicht gültig ist:',
  noMirrors: 'Das Register nennt keine Spiegel.',
  states: {
    'in sync': 'aktuell',
    behind: 'im Rückstand',
    ahead: 'voraus',
    expired: 'abgelaufen: Prüfer lehnen ihn ab',
    altered: 'verändert: Prüfer lehnen ihn ab',
    unreachable: 'nicht erreichbar',
  },
  witness: 'Zeuge',
  cosigned: 'Hat diesen Kopf mitsigniert',
  never: 'dieser Host sendet keine gültige Mitsignatur',
  quorum: (quorum: number, all: number) =>
    `Das Register verlangt ${number(quorum)} von ${count(all, 'Zeugen', 'Zeugen')}. Ihr Browser hat die Mitsignaturen unter den Schlüsseln geprüft, die das Register nennt.`,
  said: 'Das Register sagte das am {time} ({age}).',
  noWitnesses: 'Das Register nennt keine Zeugen.',
  unknownWitnesses: 'Unbekannt: Dieser Host sendet keinen Bericht, in dem das Register seine Zeugen nennt.',
} as const;

// Tongues: reviews in languages other than English, which the clause rules cannot read.
// The one rule: unread prose is never clean; only a denial of defects with nothing set against it is.

/** What a review in another language says; null when the text is English, or too little of anything else. */
export type TongueReading = "denies" | "not-seen" | "unread"

const noun = {
  ja: "(?:問題|不具合|バグ|欠陥|リグレッション|回帰|指摘|懸念|エラー|デグレ)",
  zh: "(?:问题|問題|缺陷|错误|錯誤|回归|迴歸|隐患|bug)",
  ko: "(?:문제|결함|버그|회귀|이슈|오류)"
}
const denials = [
  new RegExp(`${noun.ja}[^。\\n]{0,25}(?:ありません|ない|なし|なかった|見つかりません|見つから|見当たり|検出されません|認められません)`),
  new RegExp(`(?:未|没有|沒有|無|无|不存在|没)[^。\\n]{0,25}${noun.zh}`),
  new RegExp(`${noun.ko}[^.\\n]{0,20}(?:없|않|찾지 못|못했)`),
  /(?:\bkeine[rnms]?|\bkeinerlei|\bnicht)\b[^.\n]{0,60}(?:problem|fehler|mängel|regression|auffälligkeit|befund|bug)/,
  /(?:\baucune?|\bpas d|\bsans|\bni)\b[^.\n]{0,60}(?:problème|erreur|régression|défaut|anomalie|bogue|bug)/,
  /(?:\bning[uú]n[ao]?s?|\bno se|\bsin|\bnenhum[a]?|\bnão|\bsem)\b[^.\n]{0,60}(?:problema|error|erro|defect|defeito|regres|fallo|falha|hallazgo|bug)/,
  /(?:\bnessun[ao']?|\bsenza|\bnon)\b[^.\n]{0,60}(?:problem|error|difett|regression|bug)/,
  /(?:не |нет |без |ни )[^.\n]{0,60}(?:проблем|ошиб|дефект|регресс|замечани)/
]
const against =
  /ただし|しかし|一方で|但是|但|不过|不過|然而|하지만|그러나|다만|\b(?:aber|jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo|aunque|mas|porém|contudo|però|tuttavia)\b|(?:^|\s)(?:но|однако)(?:\s|$)/
const notSeen = [
  /(?:差分|変更|パッチ|コード|リポジトリ|レビュー)[^。\n]{0,30}(?:アクセスでき|読めま|読めな|読み取れ|取得できま|取得できな|実施できま|できませんでした)/,
  /(?:无法|無法|未能|不能|没能)[^。\n]{0,30}(?:访问|存取|读取|讀取|查看|获取|取得|审查|審查)/,
  /(?:diff|변경|패치|코드|저장소|리뷰)[^.\n]{0,30}(?:접근할 수 없|읽을 수 없|가져올 수 없|수 없)/,
  /(?:diff|änderung|patch|code|repository|überprüfung|review)[^.\n]{0,40}(?:nicht|keine)[^.\n]{0,30}(?:gelesen|zugegriffen|zugreifen|einsehen|abgerufen|möglich|geprüft|lesen)/,
  /(?:impossible|pas pu|n'ai pu)[^.\n]{0,40}(?:accéder|lire|consulter|inspecter|examiner)/,
  /(?:no pude|no se pudo|no fue posible|não foi possível|não consegui)[^.\n]{0,40}(?:acceder|leer|acessar|ler|revisar|inspeccionar|examinar)/,
  /(?:impossibile|non è stato possibile)[^.\n]{0,40}(?:accedere|leggere|esaminare)/,
  /(?:не удалось|невозможно)[^.\n]{0,40}(?:прочитать|получить|просмотреть|доступ)/
]

const english = new Set("the is was were are not and of to in this that i with for found did any it no be on by as".split(" "))
const latin = new Set(
  ("der die das und nicht keine ist wurde im den ein eine wenn zu le la les un une des est dans pas aucun été du et el los " +
    "las que en se una es por con cuando os uma não nos quando il gli di che è nei sono della nel").split(" ")
)

const share = (text: string, pattern: RegExp): number => (text.match(pattern) ?? []).length

const isForeign = (text: string): boolean => {
  const sample = text.slice(0, 20000)
  const letters = share(sample, /\p{L}/gu)
  const other = share(sample, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/gu)
  if (letters > 0 && other / letters > 0.2) return true
  const words = sample.match(/[\p{L}']+/gu) ?? []
  const spoken = (set: ReadonlySet<string>) => words.filter((word) => set.has(word)).length
  const foreign = spoken(latin)
  return (foreign >= 2 || foreign >= 1 && words.length < 8 || /[äöüßéèçñãõ]/.test(sample)) && foreign > spoken(english) ||
    words.length < 6 && denials.some((denial) => denial.test(sample)) && spoken(english) === 0
}

/** Reads prose that is not English; null when it is. */
export const readTongue = (prose: string): TongueReading | null => {
  const text = prose.toLowerCase()
  if (!isForeign(text)) return null
  if (notSeen.some((pattern) => pattern.test(text))) return "not-seen"
  const found = denials.map((denial) => denial.exec(text)).find((match) => match !== null)
  if (found === undefined || found === null) return "unread"
  return against.test(text.slice(found.index)) ? "unread" : "denies"
}

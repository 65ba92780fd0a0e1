// Tongues: reviews in languages other than English, which the clause rules cannot read.
// The one rule: unread prose is never clean; only a denial of defects with nothing set against it is.
import { words } from "./Words.ts"

/** What a review in another language says: it denies defects, saw nothing to review, or cannot be read. */
export type TongueReading = "denies" | "not-seen" | "unread"

// A negation and a name of defects within one sentence, in either order, as each language has them.
const between = (first: string, second: string, gap = 60): RegExp =>
  new RegExp(`(?:${first})[^.。\\n]{0,${gap}}(?:${second})`)

const denials = [
  between(
    "問題|不具合|バグ|欠陥|リグレッション|回帰|指摘|懸念|エラー|デグレ",
    "ありません|ない|なし|なかった|見つかりません|見つから|見当たり|検出されません|認められません",
    25
  ),
  between("未|没有|沒有|無|无|不存在|没", "问题|問題|缺陷|错误|錯誤|回归|迴歸|隐患|bug", 25),
  between("문제|결함|버그|회귀|이슈|오류", "없|않|찾지 못|못했", 20),
  between("\\bkeine[rnms]?\\b|\\bkeinerlei\\b|\\bnicht\\b", "problem|fehler|mängel|regression|auffällig|befund|bug"),
  between("\\baucune?\\b|\\bpas d|\\bsans\\b|\\bni\\b", "problème|erreur|régression|défaut|anomalie|bogue|bug"),
  between(
    "\\bning[uú]n[ao]?s?\\b|\\bno se\\b|\\bsin\\b|\\bnenhuma?\\b|\\bnão\\b|\\bsem\\b",
    "problema|error|erro|defect|defeito|regres|fallo|falha|hallazgo|bug"
  ),
  between("\\bnessun[ao']?|\\bsenza\\b|\\bnon\\b", "problem|error|difett|regression|bug"),
  between("не |нет |без |ни ", "проблем|ошиб|дефект|регресс|замечани")
]

const against = [
  /ただし|しかし|一方で|但是|但|不过|不過|然而|하지만|그러나|다만/,
  /\b(?:aber|jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo|aunque|mas|porém|contudo|però|tuttavia)\b/,
  /(?:^|\s)(?:но|однако)(?:\s|$)/
]

const notSeen = [
  between(
    "差分|変更|パッチ|コード|リポジトリ|レビュー",
    "アクセスでき|読めま|読めな|読み取れ|取得できま|取得できな|実施できま|できませんでした",
    30
  ),
  between("无法|無法|未能|不能|没能", "访问|存取|读取|讀取|查看|获取|取得|审查|審查", 30),
  between("diff|변경|패치|코드|저장소|리뷰", "접근할 수 없|읽을 수 없|가져올 수 없|수 없", 30),
  new RegExp(
    "(?:diff|änderung|patch|code|repository|überprüfung|review)[^.\\n]{0,40}(?:nicht|keine)[^.\\n]{0,30}" +
      "(?:gelesen|zugegriffen|zugreifen|einsehen|abgerufen|möglich|geprüft|lesen)"
  ),
  between("impossible|pas pu|n'ai pu", "accéder|lire|consulter|inspecter|examiner", 40),
  between(
    "no pude|no se pudo|no fue posible|não foi possível|não consegui",
    "acceder|leer|acessar|ler|revisar|inspeccionar|examinar",
    40
  ),
  between("impossibile|non è stato possibile", "accedere|leggere|esaminare", 40),
  between("не удалось|невозможно", "прочитать|получить|просмотреть|доступ", 40)
]

const english = words("the is was were are not and of to in this that i with for found did any it no be on by as")
const latin = words(`
  der die das und nicht keine ist wurde im den ein eine wenn zu le la les un une des est dans pas aucun été du et el
  los las que en se una es por con cuando os uma não nos quando il gli di che è nei sono della nel
`)
const scripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/gu

const count = (text: string, pattern: RegExp): number => (text.match(pattern) ?? []).length

// Judged from the beginning: another script, or more of another language's small words than of English ones.
const isForeign = (text: string): boolean => {
  const sample = text.slice(0, 20000)
  const letters = count(sample, /\p{L}/gu)
  if (letters > 0 && count(sample, scripts) / letters > 0.2) return true
  const spoken = sample.match(/[\p{L}']+/gu) ?? []
  const foreign = spoken.filter((word) => latin.has(word)).length
  const native = spoken.filter((word) => english.has(word)).length
  const marked = foreign >= 2 || (foreign >= 1 && spoken.length < 8) || /[äöüßéèçñãõ]/.test(sample)
  if (marked && foreign > native) return true
  return spoken.length < 6 && native === 0 && denials.some((denial) => denial.test(sample))
}

/** Reads prose that is not English; null when it is. */
export const readTongue = (prose: string): TongueReading | null => {
  const text = prose.toLowerCase()
  if (!isForeign(text)) return null
  if (notSeen.some((pattern) => pattern.test(text))) return "not-seen"
  const at = denials.map((denial) => text.search(denial)).find((found) => found >= 0)
  if (at === undefined) return "unread"
  return against.some((pattern) => pattern.test(text.slice(at))) ? "unread" : "denies"
}

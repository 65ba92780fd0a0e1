// Tongues: reviews in other languages: a plain denial is read, a confession is read, everything else is not.
import { assert, describe, it } from "vitest"
import { readTongue } from "../../../../../src/core/verdict/prose/Tongues.ts"

describe("a review in another language", () => {
  it.each([
    "問題は見つかりませんでした。",
    "没有发现问题。",
    "문제를 찾지 못했습니다.",
    "Ich habe keine Fehler gefunden, die Änderung ist gut.",
    "Je n'ai trouvé aucun problème dans les changements.",
    "No se encontró ningún problema en los cambios.",
    "Non ho trovato nessun problema nel codice, che è chiaro.",
    "Я не нашёл проблем."
  ])("denies defects: %s", (text) => assert.strictEqual(readTongue(text), "denies"))

  it.each([
    "問題は見つかりませんでした。ただし、ロックが解放されません。",
    "Keine Fehler gefunden, aber die Sperre wird nicht gelöst.",
    "Das ist ein Fehler in der Schleife.",
    "ループが終了しません。",
    "Я нашёл ошибку."
  ])("is not read: %s", (text) => assert.strictEqual(readTongue(text), "unread"))

  it.each([
    "差分にアクセスできませんでした。",
    "无法读取差异。",
    "Der Diff konnte nicht gelesen werden, und die Prüfung ist aus.",
    "Je n'ai pas pu accéder au diff, et les fichiers sont vides."
  ])("was of nothing: %s", (text) => assert.strictEqual(readTongue(text), "not-seen"))

  it.each(["", "No issues found.", "The naïve loop is replaced.", "The label 問題 is now \"Issue\" in the English form."])(
    "is none: %j", (text) => assert.isNull(readTongue(text)))
})

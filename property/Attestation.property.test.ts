// Attestation: no edit of one goes unnoticed, wherever it is made, and what is said of it is bounded and printable.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { differences, readStatement } from "../src/read/attest/Verify.ts"
import { statementText } from "../src/read/attest/Attest.ts"
import { hostileText } from "../src/testing/arbitraries/Values.ts"
import { unprintable } from "./hostile.ts"

const text = readFileSync(new URL("../fixtures/attestations/fixed-point.v1.json", import.meta.url), "utf8")
const genuine: unknown = JSON.parse(text)

/** What is said of a text as an attestation of that run; nothing where it is one. */
const said = (given: string): ReadonlyArray<string> =>
  Result.match(readStatement(given), {
    onFailure: (why) => [why],
    onSuccess: ({ value }) => differences(value, genuine)
  })

type Path = ReadonlyArray<string | number>
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The paths of all values in it, the innermost too. */
const pathsOf = (value: unknown, at: Path = []): ReadonlyArray<Path> =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => {
      const path = [...at, Array.isArray(value) ? Number(key) : key]
      return [path, ...pathsOf(inner, path)]
    })
    : []
const named = (path: Path): string =>
  path.reduce<string>(
    (text, key) => typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`,
    ""
  )

const edited = (path: Path, edit: (holder: any, key: string | number) => void): unknown => {
  const copy: unknown = structuredClone(genuine)
  const last = path.at(-1) ?? assert.fail("no path")
  edit(path.slice(0, -1).reduce<any>((value, key) => value[key], copy), last)
  return copy
}

const path = fc.constantFrom(...pathsOf(genuine))
const value = fc.oneof(fc.jsonValue(), hostileText)

describe("an edit of an attestation", () => {
  it("of a value is named by its path, or by one in it", () =>
    fc.assert(fc.property(path, value, (at, other) => {
      const forged = edited(at, (holder, key) => (holder[key] = other))
      const found = said(statementText(forged))
      if (statementText(forged) === text) return assert.deepEqual(found, [])
      assert.isNotEmpty(found)
      for (const one of found) {
        assert.notMatch(one, unprintable)
        assert.isBelow(one.length, 700)
        const header = /^(its |it names no run|malformed)/.test(one)
        assert.isTrue(header || one.startsWith(named(at)), `${named(at)}: ${one}`)
      }
    })))

  it("that takes something out, or adds something, is named", () =>
    fc.assert(fc.property(path, hostileText, value, (at, key, more) => {
      const cut = edited(
        at,
        (holder, last) => Array.isArray(holder) ? holder.splice(Number(last), 1) : delete holder[last]
      )
      assert.isNotEmpty(said(statementText(cut)))
      const added = edited(at, (holder) => {
        if (Array.isArray(holder)) holder.push(more)
        else Object.defineProperty(holder, `new ${key}`, { value: more, enumerable: true })
      })
      assert.isNotEmpty(said(statementText(added)))
    })))

  it("of one character is noticed, unless it says the same", () =>
    fc.assert(fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), fc.boolean(), (at, put, instead) => {
      const forged = text.slice(0, at) + put + text.slice(at + (instead ? 1 : 0))
      const same = () => {
        try {
          return statementText(JSON.parse(forged)) === text
        } catch {
          return false
        }
      }
      assert.strictEqual(said(forged).length === 0, same())
    })))

  it("is noticed in any text at all, and none makes it fail", () =>
    fc.assert(fc.property(hostileText, (any) => assert.isNotEmpty(said(any)))))
})

// Identity: which changes of the code a reviewer could have seen, field by field.
import { assert, describe, it } from "vitest"
import { differs, Identity, isUncommitted, sameContent, sameInput, undisturbed } from "../../../src/run/Identity.ts"

type Known = Extract<Identity, { readonly _tag: "Known" }>

const uncommitted: Known = {
  _tag: "Known",
  head: "head",
  tree: "tree",
  base: null,
  headTree: "head-tree",
  index: "index",
  indexTree: "index-tree",
  untracked: false,
  nested: ""
}
const based: Known = { ...uncommitted, base: "base", mergeBase: "merge-base" }
const earlier: Known = { _tag: "Known", head: "head", tree: "tree", base: "base" }
const unknown: Identity = { _tag: "Unknown", why: "no index" }

describe("the same input", () => {
  it("has the same value in every field", () => {
    for (const one of [uncommitted, based, earlier]) assert.strictEqual(sameInput(one, { ...one }), "Same")
  })

  const changes: ReadonlyArray<readonly [string, Known, Partial<Known>, string]> = [
    ["a commit below uncommitted changes", uncommitted, { head: "other" }, "Different"],
    ["a file", uncommitted, { tree: "other" }, "Different"],
    ["staged content behind an unchanged file", uncommitted, { index: "other" }, "Different"],
    ["a nested repository", uncommitted, { nested: "other" }, "Different"],
    ["how git shows code", { ...uncommitted, view: "view" }, { view: "other" }, "Different"],
    ["how git shows code against a base", { ...based, view: "view" }, { view: "other" }, "Different"],
    ["the instructions", { ...uncommitted, instructions: "" }, { instructions: "other" }, "Different"],
    ["the instructions against a base", { ...based, instructions: "one" }, { instructions: "" }, "Different"],
    [
      "the instructions for a commit",
      { ...earlier, tree: null, instructions: "one" },
      { instructions: "other" },
      "Different"
    ],
    ["instructions that one side does not record", uncommitted, { instructions: "other" }, "Same"],
    ["how git shows a commit", { ...earlier, tree: null, view: "view" }, { view: "other" }, "Different"],
    ["how git shows code, which an earlier version did not record", uncommitted, { view: "other" }, "Same"],
    ["an untracked file that was there before", uncommitted, { untracked: true }, "Same"],
    ["the merge base", based, { mergeBase: "other" }, "Different"],
    ["the merge base that is lost", based, { mergeBase: null }, "Different"],
    ["a base branch that moved behind the same merge base", based, { base: "other" }, "Same"],
    ["HEAD against a base, with the same files and index", based, { head: "other", headTree: "other" }, "Same"],
    ["staged content against a base", based, { index: "other" }, "Different"],
    ["a nested repository against a base", based, { nested: "other" }, "Different"],
    ["a commit recorded by an earlier version", earlier, { head: "other" }, "Different"],
    ["the base recorded by an earlier version", earlier, { base: "other" }, "Different"]
  ]
  it.each(changes)("after a change of %s", (_, then, change, expected) => {
    const now = { ...then, ...change }
    assert.strictEqual(sameInput(then, now), expected)
    assert.strictEqual(differs(then, now), expected === "Different" && !("index" in change || "view" in change))
  })

  it("compares the branch if a base has no merge base", () => {
    const lost: Known = { ...based, mergeBase: null }
    assert.strictEqual(sameInput(lost, lost), "Same")
    assert.strictEqual(sameInput(lost, { ...lost, base: "moved" }), "Different")
  })

  describe("after a commit of what was reviewed against a base", () => {
    const reviewed: Known = { ...based, tree: "reviewed", index: "before" }
    const after: Known = {
      ...reviewed,
      head: "new",
      headTree: "reviewed",
      indexTree: "reviewed",
      index: "after"
    }
    it("is the same, because there is nothing new to see", () => assert.strictEqual(sameInput(reviewed, after), "Same"))
    it("differs if an untracked file was committed too, because only now the diff shows it", () =>
      assert.strictEqual(sameInput({ ...reviewed, untracked: true }, after), "Different"))
    it("differs if only a part was committed", () =>
      assert.strictEqual(sameInput(reviewed, { ...after, headTree: "part" }), "Different"))
    it("differs if more is staged", () =>
      assert.strictEqual(sameInput(reviewed, { ...after, indexTree: "more" }), "Different"))
    it("differs in the other direction: after an undone commit the index is the old one", () =>
      assert.strictEqual(sameInput(after, reviewed), "Different"))
  })

  it("skips fields that an earlier version did not record", () => {
    const now: Known = { ...uncommitted, base: "base" }
    assert.strictEqual(sameInput(earlier, now), "Same")
    assert.strictEqual(sameInput(earlier, { ...now, tree: "other" }), "Different")
  })

  it("is unknown if one side is unknown, unless the known parts differ", () => {
    assert.strictEqual(sameInput(uncommitted, unknown), "Unknown")
    assert.strictEqual(sameInput(unknown, unknown), "Unknown")
    assert.strictEqual(sameInput(uncommitted, { ...unknown, head: "other" }), "Different")
    assert.strictEqual(sameInput({ ...unknown, head: "head" }, { ...uncommitted, head: "other" }), "Different")
    assert.isFalse(differs(uncommitted, unknown))
  })
})

describe("a difference in a run that is not strict", () => {
  it("ignores the index and git's display of code: staging is not a change", () => {
    for (const one of [uncommitted, based]) assert.isFalse(differs(one, { ...one, index: "other", indexTree: "other" }))
  })
})

describe("the same content", () => {
  it("compares the files, whatever was committed or staged", () => {
    assert.strictEqual(sameContent(based, { ...based, head: "other", index: "other", mergeBase: "other" }), "Same")
    assert.strictEqual(sameContent(based, { ...based, tree: "other" }), "Different")
    assert.strictEqual(sameContent(based, { ...based, nested: "other" }), "Different")
    assert.strictEqual(sameContent(based, unknown), "Unknown")
  })
})

describe("an identity of an earlier log", () => {
  it("is read unchanged", () => {
    assert.deepStrictEqual(Identity.make(earlier), earlier)
    assert.deepStrictEqual(Identity.make(unknown), unknown)
  })
})

describe("an undisturbed review", () => {
  const began: Known = { ...uncommitted, stamps: "stamps", moved: "move" }
  const whole: Known = { ...based, untracked: false, moved: "move" }
  const commit = { headTree: whole.tree, indexTree: whole.tree, moved: "commit" }
  it.each<readonly [string, Known, Partial<Known>, boolean]>([
    ["nothing at all", began, {}, true],
    ["a file that was changed and changed back", began, { stamps: "others" }, false],
    ["HEAD that moved and moved back", began, { moved: "another" }, false],
    ["HEAD that moved beside a base", { ...based, moved: "move" }, { moved: "another" }, false],
    ["one commit of what is reviewed against a base", whole, { ...commit, movedBefore: "move" }, true],
    ["that commit and another move", whole, { ...commit, movedBefore: "others" }, false],
    ["a base that moved and moved back", { ...whole, baseMoved: "base" }, { baseMoved: "another" }, false],
    ["a setting that was changed and changed back", { ...began, viewMoved: "one" }, { viewMoved: "other" }, false],
    ["a setting that hid code beside a commit", { ...whole, viewMoved: "one" }, {
      ...commit,
      movedBefore: "move",
      viewMoved: "other"
    }, false],
    ["an index that was written", { ...began, indexMoved: "one" }, { indexMoved: "other" }, false],
    ["an index that a commit of what is reviewed wrote", { ...whole, indexMoved: "one" }, {
      ...commit,
      movedBefore: "move",
      indexMoved: "other"
    }, true],
    ["no mark of an index, by an earlier version", began, { indexMoved: "one", viewMoved: "one" }, true],
    ["a change that lasted", began, { tree: "other" }, false]
  ])(
    "had %s in between: %j",
    (_, then, change, expected) => assert.strictEqual(undisturbed(then, { ...then, ...change }), expected)
  )

  it("has equal marks on both sides, or none, and is never known for an unknown identity", () => {
    assert.isTrue(undisturbed(uncommitted, uncommitted))
    assert.isFalse(undisturbed(began, uncommitted))
    assert.isFalse(undisturbed(uncommitted, began))
    assert.isFalse(undisturbed(began, unknown))
  })

  it("is not required by later comparisons of the code", () =>
    assert.strictEqual(sameInput(began, { ...began, stamps: "others", moved: "another" }), "Same"))
})

describe("a worktree", () => {
  const clean: Known = { ...based, headTree: based.tree, indexTree: based.tree ?? "" }
  it.each<readonly [string, Identity, boolean]>([
    ["that is committed", clean, false],
    ["whose commit is unknown", earlier, false],
    ["with a changed file", { ...clean, tree: "other" }, true],
    ["with a staged file", { ...clean, indexTree: "other" }, true],
    ["with a new file", { ...clean, untracked: true }, true],
    ["that git cannot read", unknown, true]
  ])(
    "%s: may have uncommitted changes: %j %j",
    (_, now, expected) => assert.strictEqual(isUncommitted(now), expected)
  )
})

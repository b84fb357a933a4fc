/**
 * A persistent map from small integers, walked in ascending order: a radix trie whose empty branches are cut off.
 *
 * Keys of the bank are creation ordinals, so ascending is insertion order. Unlike a persistent list with tombstones it
 * needs no compaction, whose O(n) pause every branch of one snapshot would pay again.
 */

/** Narrow nodes: a snapshot followed by a few scattered writes copies few bytes; 100,000 keys are five levels. */
const BITS = 4;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/** An inner node holds nodes, a node at shift 0 holds values; `undefined` is a hole. */
type Node<T> = readonly (Node<T> | T | undefined)[];

/** The values of one stretch of keys. */
export type TrieLeaf<T> = readonly (T | undefined)[];

export interface OrdinalTrie<T> {
  readonly shift: number;
  readonly root: Node<T> | undefined;
}

export const emptyTrie: OrdinalTrie<never> = Object.freeze({ shift: 0, root: undefined });

export function trieGet<T>(trie: OrdinalTrie<T>, ordinal: number): T | undefined {
  if (!covers(trie.shift, ordinal)) return undefined;
  let node = trie.root;
  for (let shift = trie.shift; node !== undefined && shift > 0; shift -= BITS) {
    node = node[(ordinal >>> shift) & MASK] as Node<T> | undefined;
  }
  return node?.[ordinal & MASK] as T | undefined;
}

export function trieSet<T>(trie: OrdinalTrie<T>, ordinal: number, value: T): OrdinalTrie<T> {
  const grown = grow(trie, ordinal);
  return { shift: grown.shift, root: place(grown.root, grown.shift, ordinal, value) };
}

export function trieDelete<T>(trie: OrdinalTrie<T>, ordinal: number): OrdinalTrie<T> {
  if (trieGet(trie, ordinal) === undefined) return trie;
  return { shift: trie.shift, root: place(trie.root, trie.shift, ordinal, undefined) };
}

/**
 * Runs of values by ascending key or, `newestFirst`, by descending key, holes left out. Runs and not single values,
 * because a generator's step costs more than the work that a listing does on one title.
 */
export function* trieRuns<T>(trie: OrdinalTrie<T>, newestFirst = false): Generator<readonly T[]> {
  if (trie.root === undefined) return;
  for (const leaf of leaves(trie.root, trie.shift, newestFirst)) {
    const run = leaf.filter((value) => value !== undefined) as T[];
    yield newestFirst ? run.reverse() : run;
  }
}

/**
 * The nodes that hold the values, by ascending key, holes included. A node is never changed, so what is made of it can be
 * kept. `wanted` is asked of each node one level above (its children are such nodes, or holes), and says whether to look
 * inside. A list, because nested generators cost more per node than all that a listing does with it.
 */
export function trieLeaves<T>(
  trie: OrdinalTrie<T>,
  wanted: (parent: readonly (TrieLeaf<T> | undefined)[]) => boolean = () => true,
): readonly TrieLeaf<T>[] {
  const found: TrieLeaf<T>[] = [];
  const collect = (node: Node<T>, shift: number): void => {
    if (shift === 0) found.push(node as TrieLeaf<T>);
    else if (shift !== BITS || wanted(node as readonly (TrieLeaf<T> | undefined)[]))
      for (const child of node) if (child !== undefined) collect(child as Node<T>, shift - BITS);
  };
  if (trie.root !== undefined) collect(trie.root, trie.shift);
  return found;
}

/** Pairs of values that are not the same object, by ascending key. Branches that both tries share are skipped. */
export function* trieChanges<T>(
  before: OrdinalTrie<T>,
  after: OrdinalTrie<T>,
): Generator<{ before: T | undefined; after: T | undefined }> {
  const shift = Math.max(before.shift, after.shift);
  yield* nodeChanges(deepen(before, shift), deepen(after, shift), shift);
}

function* nodeChanges<T>(
  before: Node<T> | undefined,
  after: Node<T> | undefined,
  shift: number,
): Generator<{ before: T | undefined; after: T | undefined }> {
  if (before === after) return;
  for (let at = 0; at < WIDTH; at++) {
    const left = before?.[at];
    const right = after?.[at];
    if (left === right) continue;
    if (shift === 0) yield { before: left as T | undefined, after: right as T | undefined };
    else yield* nodeChanges(left as Node<T> | undefined, right as Node<T> | undefined, shift - BITS);
  }
}

function* leaves<T>(node: Node<T>, shift: number, newestFirst: boolean): Generator<Node<T>> {
  if (shift === 0) {
    yield node;
    return;
  }
  for (let at = 0; at < node.length; at++) {
    const child = node[newestFirst ? node.length - 1 - at : at];
    if (child !== undefined) yield* leaves(child as Node<T>, shift - BITS, newestFirst);
  }
}

function place<T>(
  node: Node<T> | undefined,
  shift: number,
  ordinal: number,
  value: T | undefined,
): Node<T> | undefined {
  const copy = node === undefined ? [] : node.slice();
  const at = (ordinal >>> shift) & MASK;
  const held = shift === 0 ? value : place(copy[at] as Node<T> | undefined, shift - BITS, ordinal, value);
  while (copy.length < at) copy.push(undefined);
  copy[at] = held;
  if (held !== undefined) return copy;
  while (copy.length > 0 && copy[copy.length - 1] === undefined) copy.pop();
  return copy.length === 0 ? undefined : copy;
}

const covers = (shift: number, ordinal: number) => Math.floor(ordinal / 2 ** shift) < WIDTH;

function grow<T>(trie: OrdinalTrie<T>, ordinal: number): OrdinalTrie<T> {
  let { shift } = trie;
  while (!covers(shift, ordinal)) shift += BITS;
  return { shift, root: deepen(trie, shift) };
}

function deepen<T>(trie: OrdinalTrie<T>, shift: number): Node<T> | undefined {
  let { root } = trie;
  if (root !== undefined) for (let at = trie.shift; at < shift; at += BITS) root = [root];
  return root;
}

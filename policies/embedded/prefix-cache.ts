/**
 * Who holds which block of the cache: a tree of token prefixes, a block of tokens to a node, so that a prompt that begins
 * as an earlier one is computed from where they part. Blocks that no sequence uses stay until room is needed; then those
 * go that were used longest ago, ends before beginnings.
 */
export interface PrefixNode {
  readonly parent: PrefixNode | null;
  readonly key: string;
  readonly depth: number;
  readonly children: Map<string, PrefixNode>;
  /** Null until somebody has computed it. */
  block: number | null;
  users: number;
  usedAt: number;
}

export interface PrefixCache {
  /** The node of these tokens below `parent` (null: the beginning), with one user more. */
  enter(parent: PrefixNode | null, tokens: readonly number[]): PrefixNode;
  leave(path: readonly PrefixNode[]): void;
  /** A block that nobody else has. There is one as long as users hold fewer than there are. */
  take(): number;
  give(block: number): void;
}

/** What is thrown out at once, so that the search for the oldest is paid seldom. */
const SHARE = 1 / 16;

export function prefixCache(blocks: number): PrefixCache {
  const root = new Map<string, PrefixNode>();
  const free = Array.from({ length: blocks }, (_, i) => blocks - 1 - i);
  let clock = 0;

  const siblingsOf = (node: PrefixNode) => node.parent?.children ?? root;
  const evict = () => {
    const idle: PrefixNode[] = [];
    const visit = (nodes: Map<string, PrefixNode>) => {
      for (const node of nodes.values()) {
        if (node.users === 0) idle.push(node);
        visit(node.children);
      }
    };
    visit(root);
    // a node is used whenever one below it is, so this order never cuts a prefix in the middle
    idle.sort((a, b) => a.usedAt - b.usedAt || b.depth - a.depth);
    for (const node of idle.slice(0, Math.ceil(blocks * SHARE))) {
      siblingsOf(node).delete(node.key);
      if (node.block !== null) free.push(node.block);
    }
  };
  return {
    enter(parent, tokens) {
      const siblings = parent?.children ?? root;
      const key = tokens.join();
      let node = siblings.get(key);
      if (!node) {
        node = { parent, key, depth: (parent?.depth ?? 0) + 1, children: new Map(), block: null, users: 0, usedAt: 0 };
        siblings.set(key, node);
      }
      node.users++;
      return node;
    },
    leave(path) {
      clock++;
      for (const node of path.toReversed()) {
        node.users--;
        node.usedAt = clock;
        if (node.users === 0 && node.block === null) siblingsOf(node).delete(node.key);
      }
    },
    take() {
      if (free.length === 0) evict();
      return free.pop()!;
    },
    give: (block) => void free.push(block),
  };
}

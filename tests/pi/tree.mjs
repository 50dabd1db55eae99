// What pi's answers have in common.

/** An id as it stands in the file: null where it is absent. */
export const plain = (id) => id ?? null;

/** The nodes of a tree, each behind its parent: id, depth, label. */
export function flat(roots) {
    const nodes = [];
    const open = [...roots].reverse().map((node) => [node, 0]);
    while (open.length) {
        const [node, depth] = open.pop();
        nodes.push([plain(node.entry.id), depth, node.label ?? null]);
        if (nodes.length > 100000) throw new Error("too many nodes");
        for (let n = node.children.length - 1; n >= 0; n--) open.push([node.children[n], depth + 1]);
    }
    return nodes;
}

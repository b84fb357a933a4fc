/** The first `limit` questions when the types take turns, in their original order; null keeps all. */
export function spreadQuestions<Q>(
  questions: readonly Q[],
  typeOf: (question: Q) => string,
  limit: number | null,
): readonly Q[] {
  if (limit === null) return questions;
  const turns = new Map<string, number>();
  const ranked = questions.map((question, order) => {
    const turn = turns.get(typeOf(question)) ?? 0;
    turns.set(typeOf(question), turn + 1);
    return { question, order, turn };
  });
  return ranked
    .sort((a, b) => a.turn - b.turn || a.order - b.order)
    .slice(0, limit)
    .sort((a, b) => a.order - b.order)
    .map(({ question }) => question);
}

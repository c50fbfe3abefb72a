// A table of sentences is also the type of what they are made from: each code has one function, and
// the detail of a code is the parameter of its function.

/** The detail of a code; `Without` for a sentence that is always the same. */
type DetailOf<Sentence, Without> = Sentence extends (...parameters: infer Parameters) => string
  ? Parameters extends [infer Detail, ...unknown[]]
    ? Readonly<Detail>
    : Without
  : never;

/** Details by code. */
export type SentenceDetails<Sentences> = {
  readonly [Code in keyof Sentences]: DetailOf<Sentences[Code], Readonly<Record<string, never>>>;
};

/** A code together with its detail, in one object. */
export type Fact<Sentences, Key extends string = 'code'> = {
  readonly [Code in keyof Sentences]: { readonly [K in Key]: Code } & DetailOf<
    Sentences[Code],
    object
  >;
}[keyof Sentences];

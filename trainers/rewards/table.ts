/** Numbers by trajectory (rows) and chunk or question (columns). Null is "no signal", never zero; rows may be ragged. */
export type Table = readonly (readonly (number | null)[])[];

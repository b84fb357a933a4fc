/** The eight consumption scenes and their fifty sub-scenes (UMA App. C.1). */

export const taxonomy = {
  Dining: ["Fast Food", "Restaurant", "Coffee", "Bubble Tea", "BBQ", "Hot Pot", "Snacks", "Takeout"],
  Transportation: ["Subway", "Bus", "Taxi", "Gas", "Parking", "Train", "Flight"],
  Shopping: ["Clothing", "Electronics", "Daily Necessities", "Cosmetics", "Books", "Groceries", "Furniture"],
  Entertainment: ["Movie", "KTV", "Gaming", "Gym", "Travel", "Concert", "Escape Room"],
  Utilities: ["Water & Electricity", "Property Fee", "Phone Bill", "Internet", "Gas Bill", "Rent"],
  Medical: ["Medicine", "Doctor Visit", "Health Checkup", "Dental", "Glasses"],
  Education: ["Training Course", "Books & Materials", "Online Course", "Exam Registration", "Tuition"],
  Other: ["Transfer", "Red Envelope", "Donation", "Pet", "Beauty & Salon"],
} as const;

export type Scene = keyof typeof taxonomy;
export type Subscene = (typeof taxonomy)[Scene][number];

/** In the order of App. C.1. */
export const scenes = Object.keys(taxonomy) as Scene[];
export const subscenes = scenes.flatMap((scene): readonly Subscene[] => taxonomy[scene]);

const sceneBySubscene = new Map<string, Scene>(
  scenes.flatMap((scene) => taxonomy[scene].map((subscene) => [subscene, scene] as const)),
);

/** Sub-scene names are unique over the whole taxonomy, so each has exactly one scene. */
export const sceneOf = (subscene: Subscene): Scene => sceneBySubscene.get(subscene)!;

/** How dialogues name a sub-scene in full: `Dining - Coffee`. */
export const labelOf = (subscene: Subscene): string => `${sceneOf(subscene)} - ${subscene}`;

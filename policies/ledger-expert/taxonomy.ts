/** The categories this policy files spending under: the paper's eight scenes and their sub-scenes (UMA App. C.1). */
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

export const scenes = Object.keys(taxonomy) as readonly Scene[];

const sceneBySubscene = new Map(
  scenes.flatMap((scene) => taxonomy[scene].map((subscene): [Subscene, Scene] => [subscene, scene])),
);

/** Sub-scene names are unique, so each has one scene. */
export const sceneOf = (subscene: Subscene): Scene => sceneBySubscene.get(subscene)!;

/** Every sub-scene, in the taxonomy's order. */
export const subscenes: readonly Subscene[] = [...sceneBySubscene.keys()];

export const isSubsceneOf = (scene: string, subscene: string): boolean =>
  sceneBySubscene.get(subscene as Subscene) === scene;

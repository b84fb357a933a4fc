/**
 * What people say they paid for, per sub-scene, and what it usually costs.
 *
 * A phrase belongs to exactly one sub-scene, starts with a determiner, and holds no digit or number word. `micro` phrases
 * serve both profiles, `full` ones the full profile only; the last `full` phrase of each list is held out from training.
 */
import type { Profile, Split } from "./forms/form.ts";
import { type Subscene, subscenes } from "./taxonomy.ts";

interface Item {
  readonly micro: readonly string[];
  readonly full: readonly string[];
  /** Usual lowest and highest price, whole units, both included. */
  readonly price: readonly [number, number];
}

export const items: Readonly<Record<Subscene, Item>> = {
  "Fast Food": {
    price: [5, 25],
    micro: ["a burger", "some fries"],
    full: ["a fried chicken combo", "a drive-through breakfast", "a cheeseburger meal"],
  },
  Restaurant: {
    price: [18, 160],
    micro: ["a restaurant lunch", "a restaurant dinner"],
    full: ["a sit-down meal at the bistro", "the set menu at the trattoria", "a birthday dinner at the steakhouse"],
  },
  Coffee: {
    price: [2, 9],
    micro: ["a coffee", "a latte"],
    full: ["a flat white", "an iced americano", "an oat-milk cappuccino"],
  },
  "Bubble Tea": {
    price: [3, 10],
    micro: ["a bubble tea", "a milk tea"],
    full: ["a boba with extra pearls", "a taro slush with tapioca", "a brown-sugar boba"],
  },
  BBQ: {
    price: [15, 90],
    micro: ["a BBQ dinner", "some BBQ ribs"],
    full: ["a Korean barbecue", "some grilled skewers", "a smokehouse platter"],
  },
  "Hot Pot": {
    price: [15, 110],
    micro: ["a hot pot", "a hot pot dinner"],
    full: ["a spicy hot pot with friends", "a Sichuan hotpot", "a mutton hotpot"],
  },
  Snacks: {
    price: [1, 15],
    micro: ["some snacks", "some chips"],
    full: ["a bag of pretzels", "some candy from the kiosk", "a packet of trail mix"],
  },
  Takeout: {
    price: [8, 45],
    micro: ["a takeout dinner", "some takeout"],
    full: ["a takeaway curry", "a delivery pizza", "some noodles ordered to the door"],
  },
  Subway: {
    price: [2, 8],
    micro: ["a subway ride", "a subway ticket"],
    full: ["the metro", "the underground fare", "a metro card top-up"],
  },
  Bus: {
    price: [1, 7],
    micro: ["a bus ride", "a bus ticket"],
    full: ["the airport shuttle bus", "a city bus pass", "the night bus fare"],
  },
  Taxi: {
    price: [7, 60],
    micro: ["a taxi", "a cab"],
    full: ["a cab across town", "a rideshare home", "a late-night ride-hail"],
  },
  Gas: {
    price: [20, 95],
    micro: ["a tank of gas", "some gas for the car"],
    full: ["some petrol", "a fill-up at the pump", "some diesel for the van"],
  },
  Parking: {
    price: [2, 40],
    micro: ["the parking", "a parking spot"],
    full: ["the parking garage", "the meter downtown", "an afternoon in the car park"],
  },
  Train: {
    price: [8, 140],
    micro: ["a train ticket", "a train ride"],
    full: ["a rail ticket to the coast", "the commuter rail fare", "a sleeper-train berth"],
  },
  Flight: {
    price: [90, 950],
    micro: ["a flight", "a plane ticket"],
    full: ["a round-trip airfare", "a low-cost airline seat", "a red-eye plane fare"],
  },
  Clothing: {
    price: [12, 180],
    micro: ["a shirt", "a jacket"],
    full: ["a pair of jeans", "a wool sweater", "a raincoat"],
  },
  Electronics: {
    price: [15, 1400],
    micro: ["a phone charger", "a laptop"],
    full: ["a pair of wireless earbuds", "a computer monitor", "a graphics tablet"],
  },
  "Daily Necessities": {
    price: [3, 40],
    micro: ["some soap", "some toilet paper"],
    full: ["some laundry detergent", "a pack of toothbrushes", "some kitchen sponges"],
  },
  Cosmetics: {
    price: [6, 90],
    micro: ["a lipstick", "some makeup"],
    full: ["a bottle of foundation", "some skincare cream", "a mascara"],
  },
  Books: {
    price: [7, 45],
    micro: ["a book", "a novel"],
    full: ["a paperback thriller", "a cookbook", "a graphic novel"],
  },
  Groceries: {
    price: [9, 150],
    micro: ["the groceries", "some vegetables"],
    full: ["the weekly supermarket shop", "some fruit from the market", "a carton of eggs"],
  },
  Furniture: { price: [35, 900], micro: ["a chair", "a desk"], full: ["a bookshelf", "a coffee table", "a bed frame"] },
  Movie: {
    price: [8, 28],
    micro: ["a movie", "a movie ticket"],
    full: ["a cinema matinee", "an IMAX screening", "a film-festival pass"],
  },
  KTV: {
    price: [20, 140],
    micro: ["a KTV night", "a KTV room"],
    full: ["a karaoke box", "some karaoke with colleagues", "a private singing room"],
  },
  Gaming: {
    price: [5, 75],
    micro: ["a video game", "some game credits"],
    full: ["a console game", "a battle pass", "an indie game on sale"],
  },
  Gym: {
    price: [8, 90],
    micro: ["the gym", "a gym pass"],
    full: ["the monthly gym membership", "a spin class at the gym", "a personal-trainer session"],
  },
  Travel: {
    price: [60, 850],
    micro: ["a hotel room", "a day trip"],
    full: ["a guided city tour", "a beach resort stay", "a cabin for the weekend"],
  },
  Concert: {
    price: [25, 240],
    micro: ["a concert", "a concert ticket"],
    full: ["a symphony seat", "a festival wristband", "a jazz gig"],
  },
  "Escape Room": {
    price: [18, 65],
    micro: ["an escape room", "an escape room game"],
    full: ["a horror escape room", "a puzzle-room booking", "a locked-room adventure"],
  },
  "Water & Electricity": {
    price: [25, 190],
    micro: ["the water bill", "the electricity bill"],
    full: ["the power bill", "the quarterly water charge", "the electric company's invoice"],
  },
  "Property Fee": {
    price: [40, 320],
    micro: ["the property fee", "the building fee"],
    full: ["the property management fee", "the HOA dues", "the condo maintenance charge"],
  },
  "Phone Bill": {
    price: [12, 90],
    micro: ["the phone bill", "my phone plan"],
    full: ["the mobile bill", "the cell phone contract", "the monthly SIM plan"],
  },
  Internet: {
    price: [20, 95],
    micro: ["the internet bill", "the home internet"],
    full: ["the broadband", "the fiber connection", "the Wi-Fi subscription"],
  },
  "Gas Bill": {
    price: [18, 150],
    micro: ["the gas bill", "the heating gas bill"],
    full: ["the natural gas invoice", "the stove gas bill", "the piped-gas charge"],
  },
  Rent: {
    price: [650, 2600],
    micro: ["the rent", "my monthly rent"],
    full: ["the apartment rent", "the landlord's monthly payment", "the studio's rent"],
  },
  Medicine: {
    price: [4, 70],
    micro: ["some medicine", "some cold pills"],
    full: ["some prescription antibiotics", "a box of allergy tablets", "a cough syrup"],
  },
  "Doctor Visit": {
    price: [25, 260],
    micro: ["the doctor", "a doctor visit"],
    full: ["the clinic co-pay", "a visit to the dermatologist", "a consultation with the GP"],
  },
  "Health Checkup": {
    price: [60, 480],
    micro: ["a health checkup", "my yearly checkup"],
    full: ["a full-body health screening", "a routine blood test", "an annual physical"],
  },
  Dental: {
    price: [45, 700],
    micro: ["the dentist", "a dental cleaning"],
    full: ["a tooth filling", "a root canal", "an orthodontist appointment"],
  },
  Glasses: {
    price: [30, 420],
    micro: ["some glasses", "a pair of glasses"],
    full: ["some contact lenses", "a new pair of spectacles", "a lens replacement"],
  },
  "Training Course": {
    price: [60, 900],
    micro: ["a training course", "a weekend training course"],
    full: ["a first-aid training", "a sales workshop at work", "a barista training class"],
  },
  "Books & Materials": {
    price: [10, 140],
    micro: ["a textbook", "some study materials"],
    full: ["a chemistry workbook", "a set of lecture notes", "some exam-prep flashcards"],
  },
  "Online Course": {
    price: [15, 420],
    micro: ["an online course", "an online class"],
    full: ["a web-development course online", "a language-learning app course", "a streaming lecture series"],
  },
  "Exam Registration": {
    price: [40, 330],
    micro: ["an exam fee", "my exam registration"],
    full: ["the TOEFL registration", "the driving-test booking", "the certification exam sign-up"],
  },
  Tuition: {
    price: [400, 4800],
    micro: ["my tuition", "the school tuition"],
    full: ["the semester tuition", "the piano school's tuition", "the college fees"],
  },
  Transfer: {
    price: [20, 600],
    micro: ["a transfer to my sister", "a transfer to my parents"],
    full: ["a bank transfer to my roommate", "some money wired to my cousin", "a remittance to my aunt"],
  },
  "Red Envelope": {
    price: [10, 300],
    micro: ["a red envelope", "a wedding red envelope"],
    full: ["a New Year red envelope", "a hongbao for my nephew", "a lucky-money packet"],
  },
  Donation: {
    price: [5, 250],
    micro: ["a donation", "a charity donation"],
    full: ["a gift to the food bank", "a contribution to the animal shelter", "a pledge to public radio"],
  },
  Pet: {
    price: [8, 240],
    micro: ["some dog food", "some cat food"],
    full: ["the vet", "a bag of cat litter", "a new leash for the dog"],
  },
  "Beauty & Salon": {
    price: [15, 160],
    micro: ["a haircut", "a nail salon visit"],
    full: ["a manicure", "a facial at the spa", "a beard trim"],
  },
};

/** Every phrase a session of this profile and split may use for the sub-scene. */
export function itemPhrases(subscene: Subscene, profile: Profile, split: Split): readonly string[] {
  const { micro, full } = items[subscene];
  if (profile === "micro") return micro;
  return [...micro, ...(split === "train" ? full.slice(0, -1) : full)];
}

/** The phrases that no training context ever holds. */
export const heldOutItems: readonly string[] = subscenes.map((subscene) => items[subscene].full.at(-1)!);

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
    micro: ["a burger", "some fries", "a sandwich", "a chicken burger", "some fried chicken"],
    full: ["a fried chicken combo", "a drive-through breakfast", "a cheeseburger meal"],
  },
  Restaurant: {
    price: [18, 160],
    micro: ["a restaurant lunch", "a restaurant dinner", "a steak dinner", "a family dinner", "a nice dinner"],
    full: ["a sit-down meal at the bistro", "the set menu at the trattoria", "a birthday dinner at the steakhouse"],
  },
  Coffee: {
    price: [2, 9],
    micro: ["a coffee", "a latte", "a hot coffee", "an iced coffee", "an espresso"],
    full: ["a flat white", "an iced americano", "an oat-milk cappuccino"],
  },
  "Bubble Tea": {
    price: [3, 10],
    micro: ["a bubble tea", "a milk tea", "a pearl tea", "an iced milk tea", "a fruit tea with pearls"],
    full: ["a boba with extra pearls", "a taro slush with tapioca", "a brown-sugar boba"],
  },
  BBQ: {
    price: [15, 90],
    micro: ["a BBQ dinner", "some BBQ ribs", "a BBQ lunch", "some grilled meat", "a BBQ plate"],
    full: ["a Korean barbecue", "some grilled skewers", "a smokehouse platter"],
  },
  "Hot Pot": {
    price: [15, 110],
    micro: ["a hot pot", "a hot pot dinner", "a hot pot lunch", "a family hot pot", "a spicy hot pot"],
    full: ["a spicy hot pot with friends", "a Sichuan hotpot", "a mutton hotpot"],
  },
  Snacks: {
    price: [1, 15],
    micro: ["some snacks", "some chips", "some cookies", "some chocolate", "some nuts"],
    full: ["a bag of pretzels", "some candy from the kiosk", "a packet of trail mix"],
  },
  Takeout: {
    price: [8, 45],
    micro: ["a takeout dinner", "some takeout", "a takeout lunch", "some takeout noodles", "a takeout pizza"],
    full: ["a takeaway curry", "a delivery pizza", "some noodles ordered to the door"],
  },
  Subway: {
    price: [2, 8],
    micro: ["a subway ride", "a subway ticket", "a subway card", "the subway", "a subway pass"],
    full: ["the metro", "the underground fare", "a metro card top-up"],
  },
  Bus: {
    price: [1, 7],
    micro: ["a bus ride", "a bus ticket", "the bus", "a bus pass", "a bus card"],
    full: ["the airport shuttle bus", "a city bus pass", "the night bus fare"],
  },
  Taxi: {
    price: [7, 60],
    micro: ["a taxi", "a cab", "a taxi ride", "a cab ride", "a taxi home"],
    full: ["a cab across town", "a rideshare home", "a late-night ride-hail"],
  },
  Gas: {
    price: [20, 95],
    micro: ["a tank of gas", "some gas for the car", "some gas", "some fuel", "the gas station"],
    full: ["some petrol", "a fill-up at the pump", "some diesel for the van"],
  },
  Parking: {
    price: [2, 40],
    micro: ["the parking", "a parking spot", "the parking fee", "the car park", "a parking garage"],
    full: ["the parking garage", "the meter downtown", "an afternoon in the car park"],
  },
  Train: {
    price: [8, 140],
    micro: ["a train ticket", "a train ride", "the train", "a fast train", "a night train"],
    full: ["a rail ticket to the coast", "the commuter rail fare", "a sleeper-train berth"],
  },
  Flight: {
    price: [90, 950],
    micro: ["a flight", "a plane ticket", "a flight ticket", "a flight home", "the plane"],
    full: ["a round-trip airfare", "a low-cost airline seat", "a red-eye plane fare"],
  },
  Clothing: {
    price: [12, 180],
    micro: ["a shirt", "a jacket", "some shoes", "a dress", "some pants"],
    full: ["a pair of jeans", "a wool sweater", "a raincoat"],
  },
  Electronics: {
    price: [15, 1400],
    micro: ["a phone charger", "a laptop", "a keyboard", "a camera", "some headphones"],
    full: ["a pair of wireless earbuds", "a computer monitor", "a graphics tablet"],
  },
  "Daily Necessities": {
    price: [3, 40],
    micro: ["some soap", "some toilet paper", "some shampoo", "a toothbrush", "some towels"],
    full: ["some laundry detergent", "a pack of toothbrushes", "some kitchen sponges"],
  },
  Cosmetics: {
    price: [6, 90],
    micro: ["a lipstick", "some makeup", "some face cream", "some perfume", "some nail polish"],
    full: ["a bottle of foundation", "some skincare cream", "a mascara"],
  },
  Books: {
    price: [7, 45],
    micro: ["a book", "a novel", "a comic book", "a travel book", "a story book"],
    full: ["a paperback thriller", "a cookbook", "a graphic novel"],
  },
  Groceries: {
    price: [9, 150],
    micro: ["the groceries", "some vegetables", "some rice", "some milk", "some fruit"],
    full: ["the weekly supermarket shop", "some fruit from the market", "a carton of eggs"],
  },
  Furniture: {
    price: [35, 900],
    micro: ["a chair", "a desk", "a table", "a sofa", "a bed"],
    full: ["a bookshelf", "a coffee table", "a bed frame"],
  },
  Movie: {
    price: [8, 28],
    micro: ["a movie", "a movie ticket", "a movie night", "the cinema", "a film"],
    full: ["a cinema matinee", "an IMAX screening", "a film-festival pass"],
  },
  KTV: {
    price: [20, 140],
    micro: ["a KTV night", "a KTV room", "the KTV", "a KTV party", "a karaoke night"],
    full: ["a karaoke box", "some karaoke with colleagues", "a private singing room"],
  },
  Gaming: {
    price: [5, 75],
    micro: ["a video game", "some game credits", "a game", "a game console", "an online game"],
    full: ["a console game", "a battle pass", "an indie game on sale"],
  },
  Gym: {
    price: [8, 90],
    micro: ["the gym", "a gym pass", "a gym class", "my gym plan", "a yoga class at the gym"],
    full: ["the monthly gym membership", "a spin class at the gym", "a personal-trainer session"],
  },
  Travel: {
    price: [60, 850],
    micro: ["a hotel room", "a day trip", "a hotel", "a city tour", "a beach trip"],
    full: ["a guided city tour", "a beach resort stay", "a cabin for the weekend"],
  },
  Concert: {
    price: [25, 240],
    micro: ["a concert", "a concert ticket", "a rock concert", "a music show", "a live show"],
    full: ["a symphony seat", "a festival wristband", "a jazz gig"],
  },
  "Escape Room": {
    price: [18, 65],
    micro: ["an escape room", "an escape room game", "the escape room", "an escape game", "a team escape room"],
    full: ["a horror escape room", "a puzzle-room booking", "a locked-room adventure"],
  },
  "Water & Electricity": {
    price: [25, 190],
    micro: ["the water bill", "the electricity bill", "the power bill", "the electricity", "the water"],
    full: ["the hydro bill", "the quarterly water charge", "the electric company's invoice"],
  },
  "Property Fee": {
    price: [40, 320],
    micro: ["the property fee", "the building fee", "the property bill", "my building fee", "the yearly property fee"],
    full: ["the property management fee", "the HOA dues", "the condo maintenance charge"],
  },
  "Phone Bill": {
    price: [12, 90],
    micro: ["the phone bill", "my phone plan", "my phone bill", "the phone plan", "a phone data plan"],
    full: ["the mobile bill", "the cell phone contract", "the monthly SIM plan"],
  },
  Internet: {
    price: [20, 95],
    micro: ["the internet bill", "the home internet", "my internet bill", "the internet", "the internet plan"],
    full: ["the broadband", "the fiber connection", "the Wi-Fi subscription"],
  },
  "Gas Bill": {
    price: [18, 150],
    micro: ["the gas bill", "the heating gas bill", "my gas bill", "the kitchen gas bill", "the monthly gas bill"],
    full: ["the natural gas invoice", "the stove gas bill", "the piped-gas charge"],
  },
  Rent: {
    price: [650, 2600],
    micro: ["the rent", "my monthly rent", "my rent", "the monthly rent", "the room rent"],
    full: ["the apartment rent", "the landlord's monthly payment", "the studio's rent"],
  },
  Medicine: {
    price: [4, 70],
    micro: ["some medicine", "some cold pills", "some pills", "some cough medicine", "some vitamins"],
    full: ["some prescription antibiotics", "a box of allergy tablets", "a cough syrup"],
  },
  "Doctor Visit": {
    price: [25, 260],
    micro: ["the doctor", "a doctor visit", "the clinic", "a clinic visit", "a hospital visit"],
    full: ["the clinic co-pay", "a visit to the dermatologist", "a consultation with the GP"],
  },
  "Health Checkup": {
    price: [60, 480],
    micro: ["a health checkup", "my yearly checkup", "the health checkup", "a full checkup", "a yearly health checkup"],
    full: ["a full-body health screening", "a routine blood test", "an annual physical"],
  },
  Dental: {
    price: [45, 700],
    micro: ["the dentist", "a dental cleaning", "a dental visit", "a tooth cleaning", "my dentist"],
    full: ["a tooth filling", "a root canal", "an orthodontist appointment"],
  },
  Glasses: {
    price: [30, 420],
    micro: ["some glasses", "a pair of glasses", "my new glasses", "some reading glasses", "my glasses"],
    full: ["some contact lenses", "a new pair of spectacles", "a lens replacement"],
  },
  "Training Course": {
    price: [60, 900],
    micro: [
      "a training course",
      "a weekend training course",
      "a cooking course",
      "a driving course",
      "a work training course",
    ],
    full: ["a first-aid training", "a sales workshop at work", "a barista training class"],
  },
  "Books & Materials": {
    price: [10, 140],
    micro: ["a textbook", "some study materials", "a school book", "some course books", "a math textbook"],
    full: ["a chemistry workbook", "a set of lecture notes", "some exam-prep flashcards"],
  },
  "Online Course": {
    price: [15, 420],
    micro: [
      "an online course",
      "an online class",
      "an online lesson",
      "an online math course",
      "an online language class",
    ],
    full: ["a web-development course online", "a language-learning app course", "a streaming lecture series"],
  },
  "Exam Registration": {
    price: [40, 330],
    micro: ["an exam fee", "my exam registration", "the exam", "a language exam", "the exam fee"],
    full: ["the TOEFL registration", "the driving-test booking", "the certification exam sign-up"],
  },
  Tuition: {
    price: [400, 4800],
    micro: ["my tuition", "the school tuition", "the tuition", "the school fee", "my college tuition"],
    full: ["the semester tuition", "the piano school's tuition", "the college fees"],
  },
  Transfer: {
    price: [20, 600],
    micro: [
      "a transfer to my sister",
      "a transfer to my parents",
      "a transfer to my brother",
      "a transfer to my friend",
      "a transfer",
    ],
    full: ["a bank transfer to my roommate", "some money wired to my cousin", "a remittance to my aunt"],
  },
  "Red Envelope": {
    price: [10, 300],
    micro: [
      "a red envelope",
      "a wedding red envelope",
      "a birthday red envelope",
      "the red envelope",
      "a family red envelope",
    ],
    full: ["a New Year red envelope", "a hongbao for my nephew", "a lucky-money packet"],
  },
  Donation: {
    price: [5, 250],
    micro: ["a donation", "a charity donation", "a gift to charity", "a school donation", "a small donation"],
    full: ["a gift to the food bank", "a contribution to the animal shelter", "a pledge to public radio"],
  },
  Pet: {
    price: [8, 240],
    micro: ["some dog food", "some cat food", "some pet food", "a pet toy", "the vet"],
    full: ["a visit to the vet", "a bag of cat litter", "a new leash for the dog"],
  },
  "Beauty & Salon": {
    price: [15, 160],
    micro: ["a haircut", "a nail salon visit", "a hair salon", "a massage", "some hair color"],
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

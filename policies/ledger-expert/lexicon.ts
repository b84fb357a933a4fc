/**
 * Words for things that money is spent on, by sub-scene: what the policy knows about the world.
 *
 * A term is one to three words. Where several terms fit, the one with most words wins, then a strong one over a weak one
 * (written with "?"): "a coffee table" is furniture, "a BBQ dinner" is no restaurant, "a phone charger" no phone bill.
 */
import type { Subscene } from "./taxonomy.ts";

const terms: Readonly<Record<Subscene, string>> = {
  "Fast Food":
    "burger, burgers, cheeseburger, fries, sandwich, fried chicken, drive through, hamburger, nuggets, combo?",
  Restaurant:
    "restaurant, steak, steakhouse, bistro, trattoria, brasserie, sit down meal, set menu, buffet, dinner?, lunch?, meal?",
  Coffee: "coffee, latte, espresso, cappuccino, americano, flat white, mocha, macchiato",
  "Bubble Tea": "bubble tea, milk tea, pearl tea, fruit tea, boba, tapioca, taro",
  BBQ: "bbq, barbecue, barbeque, ribs, grilled, skewers, smokehouse",
  "Hot Pot": "hot pot, hotpot",
  Snacks: "snacks, snack, chips, cookies, chocolate, nuts, pretzels, candy, popcorn, trail mix, kiosk?",
  Takeout: "takeout, takeaway, take out, delivery, ordered, pizza?, noodles?, curry?",
  Subway: "subway, metro, underground",
  Bus: "bus, shuttle, coach ticket",
  Taxi: "taxi, cab, rideshare, ride hail, ride share",
  Gas: "gas, fuel, petrol, diesel, gasoline, pump?, gas station",
  Parking: "parking, car park, meter, parking garage",
  Train: "train, rail, railway, sleeper train",
  Flight: "flight, plane, airfare, airline, air ticket",
  Clothing:
    "shirt, jacket, shoes, dress, pants, jeans, sweater, raincoat, coat, socks, skirt, hat, hoodie, boots, trousers",
  Electronics:
    "charger, laptop, keyboard, camera, headphones, earbuds, monitor, tablet, mouse pad, hard drive, computer, television, speaker",
  "Daily Necessities":
    "soap, toilet paper, shampoo, toothbrush, toothbrushes, toothpaste, towels, detergent, sponges, tissues",
  Cosmetics:
    "lipstick, makeup, face cream, perfume, nail polish, foundation, skincare, mascara, eyeliner, moisturizer, lotion",
  Books: "book, novel, comic book, paperback, thriller, cookbook, graphic novel, hardcover",
  Groceries:
    "groceries, grocery, vegetables, rice, milk, fruit, supermarket, eggs, bread, cheese, market?, food shopping",
  Furniture: "chair, desk, table, sofa, bed, bookshelf, coffee table, bed frame, wardrobe, couch, lamp, mattress",
  Movie: "movie, cinema, film, matinee, imax, film festival",
  KTV: "ktv, karaoke, singing room",
  Gaming: "game, video game, online game, console, battle pass, game credits",
  Gym: "gym, yoga, spin class, personal trainer, fitness, pilates",
  Travel: "hotel, tour, resort, cabin, hostel, vacation, trip?, beach?, travel?",
  Concert: "concert, music, live show, symphony, gig, jazz, wristband, opera, festival?",
  "Escape Room": "escape room, escape game, puzzle room, locked room",
  "Water & Electricity": "water, electricity, electric, power bill, hydro",
  "Property Fee": "property fee, property bill, property management, building fee, hoa, condo, maintenance fee",
  "Phone Bill": "phone bill, phone plan, phone contract, data plan, cell phone, mobile bill, mobile plan, sim, phone?",
  Internet: "internet, broadband, fiber, wi fi, wifi",
  "Gas Bill": "gas bill, natural gas, piped gas, heating gas",
  Rent: "rent, landlord",
  Medicine: "medicine, pills, vitamins, antibiotics, tablets, syrup, prescription, painkillers, cough medicine",
  "Doctor Visit": "doctor, clinic, hospital, dermatologist, gp, co pay, copay, pediatrician, consultation?",
  "Health Checkup": "checkup, check up, health screening, blood test, physical, medical exam",
  Dental: "dentist, dental, tooth, root canal, orthodontist, braces",
  Glasses: "glasses, lenses, spectacles, lens, eyeglasses",
  "Training Course": "training, workshop, driving course, cooking course, bootcamp, seminar, course?",
  "Books & Materials":
    "textbook, workbook, study materials, school book, school books, course book, course books, lecture notes, flashcards, exam prep",
  "Online Course": "online, online course, online class, online lesson, app course, lecture series, webinar",
  "Exam Registration": "exam, exam fee, toefl, ielts, driving test, certification, registration?",
  Tuition: "tuition, school fee, school fees, college fee, college fees, semester fee",
  Transfer: "transfer, wired, remittance, money order",
  "Red Envelope": "red envelope, envelope, hongbao, lucky money",
  Donation: "donation, charity, food bank, contribution, pledge, animal shelter, fundraiser",
  Pet: "dog, cat, pet, vet, leash, litter, puppy, kitten, dog food, cat food",
  "Beauty & Salon":
    "haircut, salon, nail salon, hair salon, hair color, massage, manicure, pedicure, facial, spa, beard, barber",
};

export interface Term {
  readonly subscene: Subscene;
  /** More words outrank fewer, strong outranks weak. */
  readonly rank: number;
  readonly words: number;
}

export const longestTerm = 3;

/** Words joined by single blanks → what they stand for. */
export const lexicon: ReadonlyMap<string, Term> = new Map(
  (Object.entries(terms) as [Subscene, string][]).flatMap(([subscene, list]) =>
    list.split(/,\s*/).map((written): [string, Term] => {
      const term = written.replace("?", "");
      const words = term.split(" ").length;
      return [term, { subscene, words, rank: words * 2 + (written.endsWith("?") ? 0 : 1) }];
    }),
  ),
);

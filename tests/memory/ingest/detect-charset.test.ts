import { describe, expect, it } from "vitest";
import { decodeText } from "../../../memory/ingest/decode.ts";
import { detectCharset } from "../../../memory/ingest/detect-charset.ts";
import { judgeWords } from "../../../memory/ingest/judge-words.ts";
import { encode } from "./encode.ts";

/** Our own sentences, long enough to judge by. */
const texts = {
  german:
    "Am Dienstag fuhren wir über die Brücke nach Köln, aßen Käse und süße Äpfel und hörten den Möwen zu. Später wünschte sich Jürgen noch ein Stück Nusskuchen, weil er müde war; die Rückfahrt verlief ohne größere Störung.",
  french:
    "Mardi, nous avons traversé la rivière à pied, mangé du fromage et bu un café très léger. L'été dernier, Hélène était déjà passée par là, où le garçon préférait rêver près de la fenêtre plutôt que d'étudier.",
  spanish:
    "El martes cruzamos el río, comimos piñones y después volvimos a la estación. Mañana Íñigo comprará más azúcar, jamón y un pequeño café, porque según él aquí no había ningún menú que le gustara.",
  polish:
    "W środę pojechaliśmy nad jezioro, gdzie łódź przeciekała, więc wróciliśmy pieszo. Żona przyniosła świeże bułki, a potem długo mówiliśmy o tym, że następnego dnia trzeba będzie jeszcze raz przejść przez most.",
  czech:
    "V úterý jsme šli přes řeku do města, kde příští týden začíná výstava. Můj bratr říkal, že tam koupí černý čaj a že přijde později, protože ještě musí dokončit nějakou důležitou práci.",
  turkish:
    "Salı günü köprüden geçip şehre gittik, çarşıda üzüm ve peynir aldık. Ağabeyim akşam için çorba pişirdi; yağmur başlayınca ışıkları söndürüp sessizce oturduk ve ertesi günü düşündük.",
  russian:
    "Во вторник мы перешли через мост и пошли на рынок, где купили яблоки, сыр и чёрный хлеб. Потом начался дождь, и Юля сказала, что завтра утром она поедет к своей сестре в другой город.",
  greek:
    "Την Τρίτη περάσαμε τη γέφυρα και πήγαμε στην αγορά, όπου αγοράσαμε τυρί και μήλα. Ύστερα άρχισε να βρέχει και η Ελένη είπε ότι αύριο θα πάει στο χωριό της να δει την αδελφή της.",
  hebrew:
    "ביום שלישי עברנו את הגשר והלכנו לשוק, שם קנינו גבינה ותפוחים. אחר כך התחיל לרדת גשם, ודנה אמרה שמחר בבוקר היא תיסע לבקר את אחותה שגרה בעיר אחרת ליד הים.",
  arabic:
    "يوم الثلاثاء عبرنا الجسر وذهبنا إلى السوق حيث اشترينا الجبن والتفاح. ثم بدأ المطر ينزل، وقالت ليلى إنها ستسافر غدا صباحا إلى أختها التي تسكن في مدينة أخرى قرب البحر.",
  japanese:
    "火曜日に橋を渡って市場へ行き、チーズとりんごを買いました。そのあと雨が降りはじめたので、ゆりさんは明日の朝、海の近くの町に住んでいるお姉さんに会いに行くと言いました。",
  chinese:
    "星期二我们过了桥去市场买了奶酪和苹果。后来下起雨来，小丽说她明天早上要坐火车去看住在海边另一个城市的姐姐，然后再回来和我们一起准备周末的晚饭。",
  korean:
    "화요일에 우리는 다리를 건너 시장에 가서 치즈와 사과를 샀습니다. 그 뒤에 비가 오기 시작했고, 유리는 내일 아침 바닷가 다른 도시에 사는 언니를 만나러 간다고 말했습니다.",
};

describe("a legacy charset is recognised by words and letters", () => {
  it.each([
    ["german", "windows-1252"],
    ["german", "macintosh"],
    ["french", "windows-1252"],
    ["spanish", "windows-1252"],
    ["polish", "windows-1250"],
    ["czech", "windows-1250"],
    ["turkish", "windows-1254"],
    ["russian", "windows-1251"],
    ["russian", "koi8-r"],
    ["russian", "ibm866"],
    ["russian", "x-mac-cyrillic"],
    ["russian", "iso-8859-5"],
    ["greek", "windows-1253"],
    ["hebrew", "windows-1255"],
    ["arabic", "windows-1256"],
    ["japanese", "shift_jis"],
    ["japanese", "euc-jp"],
    ["chinese", "gbk"],
    ["korean", "euc-kr"],
  ] as const)("%s in %s", (language, charset) => {
    const decoded = decodeText(encode(texts[language], charset));
    expect(decoded.text).toBe(texts[language]);
    expect(decoded.notes[0]).toMatch(/^not UTF-8: read as /);
  });

  it("finds the few non-ASCII lines of a large file", () => {
    const text = `${"plain line of text\n".repeat(40_000)}${texts.russian}\n${"another plain line\n".repeat(40_000)}`;
    expect(decodeText(encode(text, "koi8-r")).text).toBe(text);
    const late = `${"plain words without an end ".repeat(40_000)}\n${texts.russian}\n`;
    expect(decodeText(encode(late, "koi8-r")).text).toBe(late);
  });

  it("ASCII with the quotes and dashes of a Windows word processor needs no language", () => {
    const text = "It’s “done” – well… ‘almost’";
    expect(decodeText(encode(text, "windows-1252")).text).toBe(text);
  });
});

describe("no guess is made where it could be wrong", () => {
  it.each([
    ["a short text", encode("El niño comió piñones.\n", "windows-1252")],
    [
      "a text with two accents",
      encode(`${"An English sentence without accents. ".repeat(20)}Café, fiancé.`, "windows-1252"),
    ],
    ["bytes that are no text", Uint8Array.from({ length: 400 }, (_, i) => 1 + ((i * 97 + ((i * i) % 89)) % 255))],
  ])("%s is refused", (_, input) => {
    expect(detectCharset(input).charset).toBeNull();
  });

  it("the refusal lists what it might be", () => {
    expect(() => decodeText(encode("El niño comió piñones.\n", "windows-1252"))).toThrow(
      /byte 0xF1 at offset 5 is not UTF-8, and the encoding is not certain \(it may be .*windows-1252/,
    );
  });

  it("Mac Cyrillic does not pass for windows-1251, which chardet takes it for", () => {
    const bytes = encode(texts.russian, "x-mac-cyrillic");
    expect(detectCharset(bytes).charset).toBe("x-mac-cyrillic");
    expect(judgeWords(new TextDecoder("windows-1251").decode(bytes)).odd).toBeGreaterThan(0.05);
  });

  it("a cut of any length of these texts is read rightly or refused", () => {
    for (const [language, charset] of [
      ["german", "windows-1252"],
      ["polish", "windows-1250"],
      ["turkish", "windows-1254"],
      ["russian", "x-mac-cyrillic"],
      ["hebrew", "iso-8859-8"],
      ["japanese", "shift_jis"],
    ] as const) {
      for (let length = 20; length < texts[language].length; length += 17) {
        const cut = texts[language].slice(0, length);
        const input = encode(cut, charset);
        const { charset: found } = detectCharset(input);
        if (found !== null) expect(decodeText(input).text, `${language} ${length}`).toBe(cut);
      }
    }
  });
});

describe("judgeWords", () => {
  it("counts words with non-ASCII letters and the share that nobody would write", () => {
    expect(judgeWords("plain words only")).toEqual({ count: 0, letters: 0, odd: 0 });
    expect(judgeWords("été naïve")).toEqual({ count: 2, letters: 3, odd: 0 });
    expect(judgeWords("составлЯли слово").odd).toBe(0.5);
    expect(judgeWords("w³aœnie dobrze żona").odd).toBe(0.5);
    expect(judgeWords("a\u0085b").odd).toBe(1);
  });
});

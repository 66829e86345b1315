/** RFC 7591 §5, UTS #39: real names of people and companies are accepted; names that imitate others are refused. */

import { describe, expect, test } from "vitest";
import { displayTextProblem } from "../../../src/oauth/names/display-name.ts";

const problemOf = (name: string, stands?: string) => displayTextProblem(name, 200, stands);

describe("a name that hides something", () => {
  test.each([
    ["a zero-width space", "Pay\u200bPal"],
    ["a joiner between Latin letters", "Pay\u200dPal"],
    ["a non-joiner between Latin letters", "Pay\u200cPal"],
    ["a joiner at its end", "Pay\u200d"],
    ["a non-joiner between Chinese characters", "日\u200c本"],
    ["a joiner between two Indic letters", "क\u200dक"],
    ["a non-joiner after an Arabic letter that joins nothing", "ر\u200cا"],
    ["a non-joiner between Arabic and Latin", "م\u200cabc"],
    ["a joiner between an emoji and a letter", "👨\u200dabc"],
    ["a soft hyphen", "Pay\u00adPal"],
    ["a grapheme joiner", "Pay\u034fPal"],
    ["a Hangul filler", "Pay\u115fPal"],
    ["a wide Hangul filler", "Pay\u3164"],
    ["an empty braille cell", "Pay\u2800Pal"],
    ["a Khmer vowel that is never seen", "កa\u17b4"],
    ["a variation selector on a letter", "Pay\ufe0fPal"],
    ["a variation selector on a digit", "1\ufe0f"],
    ["a supplementary variation selector on a Latin letter", "Google\u{e0100}"],
    ["two of them on a Chinese character", "葛\u{e0100}\u{e0101}"],
    ["a Mongolian one on a Latin letter", "abc\u180b"],
    ["a tag outside of a flag", "Google\u{e0067}"],
    ["a flag of tags that is none of the three", "🏴\u{e0075}\u{e0073}\u{e007f}"],
    ["a right-to-left override", "abc\u202edef"],
    ["an isolate", "abc\u2066def"],
    ["a left-to-right mark", "abc\u200edef"],
    ["a note that is never seen", "Pay\u{1d159}Pal"],
    ["an object replacement character", "abc\ufffc"],
    ["a private character", "\ue000"],
    ["a character that is not assigned", "\u0378"],
    ["no character at all", "\u{10ffff}"],
    ["a line feed", "a\nb"],
    ["an escape sequence", "\u001b[31mred"],
    ["half a surrogate pair", "a\ud800b"],
    ["a wide space", "a\u2003b"],
    ["an Ogham space", "a\u1680b"],
  ])("%s → refused", (_, name) => {
    expect(problemOf(name)).toMatch(/character|space|Unicode/);
  });
});

describe("a name with marks", () => {
  test.each([
    ["110 on one letter", `e${"\u0301\u0300".repeat(55)}`],
    ["five on one letter", "e\u0300\u0301\u0302\u0303\u0304"],
    ["the same one twice", "e\u0323\u0323"],
    ["the same one twice, once composed", "\u00e9\u0301"],
    ["on a space", "a \u0301b"],
    ["on nothing", "\u0301abc"],
    ["on a full stop", "a.\u0338b"],
    ["five enclosing ones", "e\u20dd\u20de\u20df\u20e0\u20e3"],
  ])("%s → refused", (_, name) => {
    expect(problemOf(name)).toMatch(/mark/);
  });
});

describe("a name in letters of several scripts", () => {
  test.each([
    ["Cyrillic and Latin in a word", "Раураl"],
    ["one Cyrillic letter in a Latin word", "Gооgle"],
    ["a Cyrillic capital before Latin letters", "Аpple"],
    ["half and half", "РауPal"],
    ["Greek and Latin in a word", "νike"],
    ["Armenian and Latin in a word", "gօօgle"],
    ["Cherokee and Latin in a word", "Ꭰoogle"],
    ["Georgian that looks Latin in a Latin word", "paყpal"],
    ["Burmese that looks Latin in a Latin word", "gဝဝgle"],
    ["Bengali zeros in a Latin word", "g০০gle"],
    ["Oriya zeros in a Latin word", "g୦୦gle"],
    ["Hebrew that looks Latin in a Latin word", "Googוe"],
    ["Arabic that looks Latin in a Latin word", "gهgle"],
    ["a Cyrillic word that looks Latin beside Latin words", "ООО Roga"],
    ["the same behind a hyphen", "е-mail"],
    ["the same with digits", "Apple С3"],
    ["a Greek letter that looks Latin beside a Latin word", "Α Pple"],
    ["three scripts", "日本語 ไทย English"],
    ["two that have nothing in common", "ไทย العربية"],
    ["Greek and Cyrillic", "Ελλάδα Россия"],
    ["a script of which only inscriptions are left", "𐌀𐌁𐌂"],
    ["runes", "ᚱᚢᚾ"],
  ])("%s → refused", (_, name) => {
    expect(problemOf(name)).toMatch(/script|alphabet/);
  });
});

test.each([
  ["bold letters", "𝗣𝗮𝘆𝗣𝗮𝗹"],
  ["script letters", "𝓟𝓪𝔂"],
  ["one double-struck letter", "ℙay"],
  ["bold digits", "App 𝟏𝟐"],
  ["a Roman numeral at a word's end", "PayPaⅼ"],
  ["a Roman numeral at its beginning", "ⅭredⅭo"],
])("a name in %s, which are signs of mathematics → refused", (_, name) => {
  expect(problemOf(name)).toMatch(/style/);
});

test.each([
  ["Arabic and ASCII digits", "تطبيق ١٢ 3"],
  ["Devanagari and ASCII digits", "ऐप १2"],
])("a name with %s → refused", (_, name) => {
  expect(problemOf(name)).toMatch(/digits/);
});

describe("a real name", () => {
  test.each(
    [
      // Signs, capitals, abbreviations.
      ...["Photo Printer", "O'Brien", "O’Brien", "Smith, John (Jr.)", "A+ (beta) – 50 % “off” #1 @home", "C++ & C#"],
      ...[
        "Tom & Jerry™",
        "½ Price",
        "№ 1",
        "App ①",
        "Final Fantasy Ⅷ",
        "FFⅩ",
        "ﬁsh",
        "x",
        "3",
        "X Æ A-12",
        "<b>",
        "{{7*7}}",
      ],
      // European languages.
      ...["Müller & Söhne GmbH", "Dvořák", "Žluťoučký kůň", "Łukasz Żółć", "Ásgeir Þórðarson", "Ægir", "Straße"],
      ...["İstanbul Işık", "Iñigo Ñáñez", "Col·legi", "Amélie", "Zoë", "Ĳsselmeer", "Ŵyn", "Ǧeorğ", "ẞ", "Ṫ"],
      ...["Ελλάδα", "ΔΕΗ", "ᾇ", "Ἀθῆναι", "Бойко Соня", "Їжак", "Ўзбекистон", "Қазақстан", "Ҷумҳурии", "Ђорђе Њ"],
      ...["Сара", "ООО Рога и копыта", "МТС", "СССР", "Հայաստան", "Օօ", "საქართველო", "Ⴀⴀ", "ᲐᲑ"],
      // Latin letters elsewhere.
      ...["Nguyễn Thị Minh Khai", "Trần Đức Lương", "Ế", "Ẹ̀bùn Adébáyọ̀", "Ọlọ́runtóbi", "Ṣọlá Ògúnwálé", "ɛ̀ʋɔ̃"],
      ...["Ŋmaa", "Hausa ƙasa Ɓoyi", "ʻŌlelo Hawaiʻi", "Māori", "Áłchíní", "Tłı̨chǫ", "sḵwx̱wú7mesh", "ꞌIxhil"],
      ...["Ḥusayn ʿAlī", "ʾIbrāhīm", "Ōe Kenzaburō", "M̄", "Q̓", "ɓ̀", "n̈"],
      // Right to left.
      ...[
        "محمد بن سلمان",
        "شركة الصور",
        "می‌خواهم",
        "نرم‌افزار",
        "خانه‌های سبز",
        "هٰذَا",
        "لِلّٰهِ",
        "اَلْحَمْدُ",
        "پاکستان",
        "ئۇيغۇر",
      ],
      ...["דוד בן־גוריון", "שִׁמְעוֹן", "צה״ל", "ދިވެހި", "ܣܘܪܝܝܐ", "ߒߞߏ", "𞤀𞤣𞤤𞤢𞤥"],
      // Indic scripts, with joiners.
      ...["हिन्दी", "क्‍ष", "र्‍य", "শ্রীমতী", "র‍্যাব", "র‍্যাংগস", "ક્‍ષ", "ਪੰਜਾਬੀ", "ଓଡ଼ିଆ"],
      ...["தமிழ் செல்வி", "ஸ்ரீ", "க்‌ஷ", "తెలుగు", "ಬೆಂಗಳೂರು", "ರ‍್ಯ", "മലയാളം", "അവന്‍", "ශ්‍රී ලංකා", "ක්‍ෂ"],
      // Southeast Asia, Tibet, Ethiopia.
      ...[
        "ไทยพาณิชย์",
        "สมชาย ใจดี",
        "ก้ำกึ่ง",
        "ພາສາລາວ",
        "ភាសាខ្មែរ",
        "ព្រះរាជាណាចក្រ",
        "မြန်မာ",
        "ကျွန်တော်",
        "བོད་ཡིག",
        "རྒྱལ་",
        "ཧཱུྃ",
      ],
      ...["አማርኛ", "ትግርኛ", "ᮞᮥᮔ᮪ᮓ", "ꦗꦮ", "ᬩᬮᬶ", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "ᓄᓇᕗᑦ", "ᠮᠣᠩᠭᠣᠯ", "ᠠ᠋"],
      // East Asia.
      ...[
        "日本語アプリ Pro",
        "写真プリンター",
        "山田　太郎",
        "㈱日立",
        "ｱｲﾘｽ",
        "ﾊﾝｶｸ",
        "ＮＴＴドコモ",
        "渡邉󠄂",
        "𠮷野家",
        "髙橋",
        "佐々木",
        "ヴ",
        "が",
      ],
      ...[
        "PDFファイル",
        "iPhone版",
        "LINEスタンプ",
        "β版",
        "Ω計画",
        "한글 앱",
        "삼성 SDS",
        "3D프린터",
        "大韓民國 대한민국",
        "臺灣 ㄅㄆㄇ",
        "李小龍",
        "·日·",
      ],
      // Latin words beside others.
      ...[
        "Яндекс Go",
        "1C:Предприятие",
        "1С:Предприятие",
        "МТС Музыка Live",
        "Чтение файлов с Google Drive",
        "Кофе № 1",
      ],
      ...[
        "Σ Analytics",
        "λ Functions",
        "µTorrent",
        "π Day",
        "Μπύρα Craft",
        "Հայկ TV",
        "ⵜⴰⵎⴰⵣⵉⵖⵜ TV",
        "แอปGoogle",
        "ร้าน7Eleven",
      ],
      ...["بـGoogle", "אפליקציית Gmail", "בGoogle", "Googleपर", "Google ऐप", "ბანკი TBC"],
      // Pictures.
      ...[
        "👩‍💻 Code",
        "❤️ Health",
        "❤ Health",
        "☎︎ Call",
        "🇩🇪 Reise",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England",
        "1️⃣ First",
        "🏳️‍🌈 Pride",
        "👨‍👩‍👧‍👦 Family",
        "👍🏽 Like",
        "🙂",
      ],
    ].map((name) => [name]),
  )("%s → accepted", (name) => {
    expect(problemOf(name)).toBeUndefined();
  });
});

describe("a name that stands already", () => {
  test.each(["Pay\u200dPal", "Раураl", `e${"\u0301".repeat(110)}`, "App ١2"])("%j, unchanged → accepted", (name) => {
    expect(problemOf(name, name)).toBeUndefined();
    expect(problemOf(name, name.normalize("NFD"))).toBeUndefined();
  });

  test("changed in another letter → judged as a new one", () => {
    expect(problemOf("Раураl 2", "Раураl")).toMatch(/alphabet/);
  });

  test.each(["", " a", "a\u202eb", "a".repeat(201)])("%j, which was never allowed → refused", (name) => {
    expect(problemOf(name, name)).toBeDefined();
  });
});

test("200 characters, the most that a text may have, of the worst kinds → judged in less than 50 ms each", () => {
  const parts = ["م\u0651\u200c", "р\u0301p", "\u200d👩", "ሀ日ไ", "e\u0301", "\u{e0100}日", "gဝ", "र\u200d", "🇩"];
  const worst = parts.map((part) => [...part.repeat(200)].slice(0, 200).join(""));
  for (const name of worst) problemOf(name);
  const startedAt = process.cpuUsage();
  for (const name of worst) problemOf(name);
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1000 / worst.length).toBeLessThan(50);
});

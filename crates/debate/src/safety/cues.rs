//! The words the checks know, each with its meaning. A compound that only sounds
//! dangerous ("bomb disposal") is a row of its own and wins over the word it
//! begins with.

/// The meaning of a cue in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CueClass {
    /// A request for something.
    Ask,
    /// A request for instructions.
    HowTo,
    /// A numbered step.
    Step,
    Make,
    /// The same as a noun: "building a bomb".
    Making,
    Use,
    Weapon,
    Malware,
    SelfHarm,
    /// Harm done to a person.
    Perpetrate,
    Person,
    /// The place where a person lives or works.
    Address,
    Abuse,
    Threat,
    Sexual,
    Minor,
    /// Protection, law, history: the sentence is about harm and does not call for
    /// it.
    Shield,
    /// Sounds like a cue but is none.
    Nothing,
    Vulnerable,
    Security,
    Medical,
    Legal,
}

impl CueClass {
    /// Returns true if a sentence that holds it must be compared with the
    /// patterns.
    pub fn is_dangerous(self) -> bool {
        matches!(
            self,
            CueClass::Weapon
                | CueClass::Malware
                | CueClass::SelfHarm
                | CueClass::Perpetrate
                | CueClass::Address
                | CueClass::Abuse
                | CueClass::Threat
                | CueClass::Sexual
        )
    }
}

#[derive(Debug)]
pub(super) struct SafetyCue {
    pub words: &'static [&'static str],
    pub class: CueClass,
}

/// A cue met in a sentence, and how many words in.
#[derive(Debug, Clone, Copy)]
pub(super) struct CueMatch {
    pub class: CueClass,
    pub at: usize,
    pub words: usize,
}

/// One row per cue, lower case, words apart.
macro_rules! cues {
    ($($class:ident: $([$($word:literal)+])+;)+) => {
        &[$($(SafetyCue { words: &[$($word),+], class: CueClass::$class }),+),+]
    };
}

#[rustfmt::skip] // One class after the other reads best.
pub(super) static CUES: &[SafetyCue] = cues![
    Ask: ["give" "me"] ["give" "us"] ["tell" "me"] ["show" "me"] ["teach" "me"] ["send" "me"]
        ["provide"] ["explain"] ["describe"] ["list"]
        ["i" "need"] ["i" "want"] ["i" "would" "like"] ["help" "me"] ["help" "us"]
        ["give"] ["walk" "me" "through"] ["let's"] ["let" "us"] ["draft"] ["find" "me"] ["find" "out"]
        ["here" "is"] ["here" "are"] ["follow" "these"] ["you" "can"] ["you" "should"] ["we" "should"];
    HowTo: ["how" "to"] ["how" "do" "i"] ["how" "can" "i"] ["how" "would" "i"] ["how" "could" "i"]
        ["how" "should" "i"] ["how" "do" "you"] ["how" "can" "you"] ["how" "do" "we"]
        ["how" "can" "we"] ["how" "i" "can"] ["how" "you" "can"] ["step" "by" "step"]
        ["steps" "to"] ["steps" "for"] ["exact" "steps"] ["instructions"] ["recipe"] ["tutorial"]
        ["blueprint"] ["blueprints"] ["walkthrough"] ["easiest" "way" "to"] ["best" "way" "to"]
        ["painless" "way" "to"] ["painless" "ways" "to"] ["quickest" "way" "to"]
        ["fastest" "way" "to"] ["ways" "to"] ["materials" "to"] ["ingredients" "to"]
        ["ingredients" "for"] ["guide" "to"] ["guide" "for"] ["manual" "for"];
    Step: ["step" "1"] ["step" "2"] ["step" "3"] ["step" "4"] ["step" "one"] ["step" "two"]
        ["step" "three"] ["first" "step"] ["next" "step"] ["first" "you"] ["then" "you"]
        ["now" "you"] ["next" "you"] ["finally" "you"];
    Make: ["make"] ["build"] ["construct"] ["assemble"] ["synthesise"] ["synthesize"]
        ["manufacture"] ["produce"] ["cook"] ["brew"] ["create"] ["code"] ["program"] ["compile"]
        ["develop"] ["generate"] ["write"] ["prepare"]
        ["3d" "print"] ["draw"] ["print"] ["culture"] ["cultivate"] ["weaponise"] ["weaponize"];
    Making: ["making"] ["building"] ["constructing"] ["assembling"] ["synthesising"]
        ["synthesizing"] ["manufacturing"] ["producing"] ["creating"] ["coding"] ["writing"];
    Use: ["detonate"] ["detonating"] ["plant"] ["arm"] ["ignite"] ["deploy"] ["deploying"]
        ["spread"] ["spreading"] ["release"] ["inject"] ["install"] ["launch"] ["distribute"]
        ["infect"] ["hide"] ["attach"];
    Weapon: ["bomb"] ["bombs"] ["pipe" "bomb"] ["pipe" "bombs"] ["nail" "bomb"] ["dirty" "bomb"]
        ["explosive" "device"] ["explosive" "devices"] ["explosive" "charge"] ["explosives"]
        ["grenade"] ["grenades"] ["molotov"] ["nerve" "agent"] ["nerve" "agents"] ["nerve" "gas"]
        ["poison" "gas"] ["toxic" "gas"] ["chemical" "weapon"] ["chemical" "weapons"] ["bioweapon"]
        ["bioweapons"] ["biological" "weapon"] ["biological" "weapons"] ["sarin"] ["ricin"]
        ["anthrax"] ["detonator"] ["ghost" "gun"] ["ghost" "guns"] ["untraceable" "gun"]
        ["untraceable" "firearm"] ["lethal" "poison"] ["deadly" "poison"] ["deadly" "pathogen"]
        ["letter" "bomb"] ["car" "bomb"] ["nuclear" "weapon"] ["nuclear" "device"];
    Malware: ["ransomware"] ["malware"] ["keylogger"] ["keyloggers"] ["rootkit"] ["botnet"]
        ["spyware"] ["computer" "virus"] ["computer" "worm"] ["trojan"] ["phishing" "kit"]
        ["phishing" "page"] ["phishing" "site"] ["phishing" "email"] ["phishing" "emails"]
        ["exploit" "code"] ["working" "exploit"] ["malicious" "payload"] ["credential" "stealer"]
        ["stalkerware"];
    SelfHarm: ["kill" "myself"] ["kill" "yourself"] ["killing" "myself"] ["killing" "yourself"]
        ["end" "my" "life"] ["end" "your" "life"] ["ending" "my" "life"] ["ending" "your" "life"]
        ["commit" "suicide"] ["hang" "myself"] ["hang" "yourself"] ["cut" "myself"]
        ["cut" "yourself"] ["cutting" "yourself"] ["hurt" "myself"] ["hurt" "yourself"]
        ["harm" "myself"] ["harm" "yourself"] ["harming" "yourself"] ["starve" "myself"]
        ["starve" "yourself"] ["starving" "yourself"] ["overdose" "on"] ["take" "my" "own" "life"]
        ["take" "your" "own" "life"];
    Perpetrate: ["harass"] ["harassing"] ["stalk"] ["stalking"] ["dox"] ["doxx"] ["doxing"]
        ["blackmail"] ["blackmailing"] ["humiliate"] ["humiliating"] ["bully"] ["bullying"]
        ["intimidate"] ["threaten"] ["threatening"] ["track" "down"] ["spy" "on"] ["terrorise"]
        ["terrorize"];
    Person: ["my" "ex"] ["my" "girlfriend"] ["my" "boyfriend"] ["my" "wife"] ["my" "husband"]
        ["my" "neighbour"] ["my" "neighbor"] ["my" "boss"] ["my" "colleague"] ["my" "coworker"]
        ["my" "classmate"] ["my" "teacher"] ["her"] ["him"] ["this" "woman"] ["this" "man"]
        ["this" "girl"] ["this" "boy"] ["this" "person"] ["that" "woman"] ["that" "man"]
        ["this" "journalist"] ["that" "journalist"];
    Address: ["home" "address"] ["private" "address"] ["phone" "number" "of"] ["daily" "routine" "of"]
        ["private" "photos"] ["nude" "photos" "of"];
    Abuse: ["you" "are" "worthless"] ["you're" "worthless"] ["you" "are" "subhuman"]
        ["you're" "subhuman"] ["you" "deserve" "to" "die"] ["you" "should" "kill" "yourself"]
        ["go" "kill" "yourself"] ["just" "kill" "yourself"] ["nobody" "would" "miss" "you"]
        ["everyone" "hates" "you"];
    Threat: ["i" "will" "kill" "you"] ["i" "will" "hurt" "you"] ["i'll" "kill" "you"]
        ["i'll" "hurt" "you"] ["we" "will" "kill" "you"] ["i" "know" "where" "you" "live"]
        ["i" "will" "find" "you" "and"] ["i'll" "find" "you" "and"] ["i" "will" "hurt" "your" "family"];
    Sexual: ["sexual"] ["sexualised"] ["sexualized"] ["erotic"] ["pornographic"] ["nude"] ["nudes"]
        ["explicit" "images"] ["explicit" "story"];
    Minor: ["child"] ["children"] ["minors"] ["teenagers"] ["underage"] ["schoolgirl"] ["schoolboy"]
        ["young" "girl"] ["young" "boy"] ["teenager"] ["preteen"];
    Shield: ["against"] ["prevent"] ["prevents"] ["preventing"] ["prevention"] ["protect"]
        ["protects"] ["protecting"] ["protection"] ["detect"] ["detects"] ["detecting"]
        ["detection"] ["defend"] ["defending"] ["defence"] ["defense"] ["mitigate"] ["mitigates"]
        ["mitigating"] ["mitigation"] ["stop"] ["stopping"] ["ban"] ["bans"] ["banned"] ["banning"]
        ["treaty"] ["law"] ["laws"] ["illegal"] ["crime"] ["criminal"] ["convicted"] ["prosecuted"]
        ["regulate"] ["regulating"] ["regulation"] ["policy"] ["history"] ["historical"]
        ["historically"] ["survivor"] ["survivors"] ["support" "for"] ["hotline"] ["counselling"]
        ["counseling"] ["therapy"] ["safely" "remove"] ["defuse"] ["refuse"] ["refuses"]
        ["refused"] ["respond" "to"] ["responding" "to"] ["recover" "from"] ["moderate"]
        ["moderation"] ["harder" "to"] ["impossible"] ["whether"] ["report"] ["reports"]
        ["reporting"] ["resilient"] ["recognise"] ["recognize"] ["victim"] ["victims"] ["novel"]
        ["film"] ["never"] ["avoid"] ["without"] ["disarm"] ["disarmament"] ["obsolete"]
        ["publish"] ["publishing"] ["speech"] ["allow"] ["allowed"] ["forbid"] ["censor"]
        ["censorship"] ["liable"] ["simulate"] ["simulation"] ["awareness"] ["training"];
    Nothing: ["bomb" "disposal"] ["bomb" "squad"] ["bomb" "threat"] ["bomb" "threats"]
        ["bomb" "shelter"] ["bomb" "shelters"] ["bomb" "proof"] ["bath" "bomb"] ["bath" "bombs"]
        ["bomb" "cyclone"] ["logic" "bomb"] ["time" "bomb"] ["photo" "bomb"] ["seed" "bombs"]
        ["malware" "scanner"] ["malware" "analysis"] ["malware" "signatures"] ["ransomware" "insurance"]
        ["ransomware" "payment"] ["ransomware" "payments"] ["ransomware" "recovery"]
        ["ransomware" "attack"] ["ransomware" "attacks"] ["ransomware" "drill"]
        ["malware" "sandbox"] ["trojan" "horse"] ["child" "process"] ["child" "processes"]
        ["child" "node"] ["child" "nodes"] ["child" "class"] ["legal" "move"] ["court" "size"]
        ["tennis" "court"] ["phishing" "email" "simulation"] ["phishing" "email" "training"]
        ["phishing" "emails" "training"] ["security" "of" "supply"] ["social" "security"]
        ["patient" "approach"] ["doctor" "who"] ["security" "deposit"];
    Vulnerable: ["suicidal"] ["suicide"] ["self" "harm"] ["eating" "disorder"] ["anorexia"]
        ["domestic" "violence"] ["abused"] ["abuse" "victims"] ["child" "abuse"]
        ["pregnant"] ["dementia"] ["refugees"] ["homeless"] ["addicts"] ["addiction"]
        ["depressed"] ["disabled" "people"] ["people" "with" "disabilities"] ["nursing" "home"]
        ["foster" "care"] ["trafficking"] ["frail"] ["elderly"];
    Security: ["exploit"] ["exploits"] ["vulnerability"] ["vulnerabilities"] ["zero" "day"]
        ["cyberattack"] ["cyberattacks"] ["cybersecurity"] ["penetration" "test"]
        ["penetration" "testing"] ["pentest"] ["hacker"] ["hackers"] ["hacking"] ["data" "breach"]
        ["phishing"] ["encryption" "backdoor"] ["backdoor"] ["surveillance"] ["security"]
        ["authentication"] ["biosecurity"];
    Medical: ["diagnosis"] ["diagnose"] ["dosage"] ["dose"] ["medication"] ["medicine"] ["medical"]
        ["patient"] ["patients"] ["surgery"] ["vaccine"] ["vaccines"] ["vaccination"]
        ["prescription"] ["cancer"] ["symptom"] ["symptoms"] ["clinical"] ["chemotherapy"]
        ["antidepressant"] ["antidepressants"] ["antibiotic"] ["antibiotics"] ["psychiatric"]
        ["disease"];
    Legal: ["lawsuit"] ["lawsuits"] ["liability"] ["attorney"] ["lawyer"] ["court"] ["legal"]
        ["custody"] ["felony"] ["prosecution"] ["litigation"] ["tax" "evasion"] ["gdpr"]
        ["copyright" "infringement"] ["plea"] ["eviction"] ["asylum"];
    // German. Verbs may stand at the end of a sentence, so nouns carry the patterns.
    Ask: ["gib" "mir"] ["gebt" "mir"] ["sag" "mir"] ["zeig" "mir"] ["nenne" "mir"] ["ich" "brauche"]
        ["ich" "will"] ["hilf" "mir"] ["beschreibe"];
    HowTo: ["wie" "man"] ["wie" "ich"] ["wie"] ["anleitung"] ["anleitungen"] ["bauplan"] ["rezept"]
        ["schritt"];
    Make: ["baue"] ["baut"] ["bauen"] ["bastle"] ["bastelt"] ["basteln"] ["herstelle"] ["herstellen"]
        ["stelle"] ["stellt"] ["mische"] ["programmiere"] ["programmieren"] ["schreibe"]
        ["entwickle"] ["entwickeln"];
    Weapon: ["bombe"] ["bomben"] ["rohrbombe"] ["rohrbomben"] ["sprengsatz"] ["sprengstoff"]
        ["handgranate"] ["nervengas"] ["giftgas"] ["chemiewaffe"] ["chemiewaffen"] ["biowaffe"]
        ["biowaffen"];
    Malware: ["schadsoftware"] ["erpressungstrojaner"] ["trojaner"] ["computervirus"]
        ["spionagesoftware"];
    SelfHarm: ["mich" "umbringen"] ["dich" "umbringen"] ["mich" "umbringe"] ["selbstmord" "begehen"]
        ["mir" "das" "leben" "nehmen"] ["mich" "selbst" "verletzen"];
    Perpetrate: ["stalken"] ["bedrohen"] ["erpressen"] ["einschuechtern"] ["mobben"];
    Person: ["meine" "ex"] ["meinen" "ex"] ["meine" "freundin"] ["meinen" "freund"] ["meine" "frau"]
        ["meinen" "mann"] ["meinen" "nachbarn"] ["meinen" "chef"] ["meine" "kollegin"];
    Abuse: ["du" "bist" "wertlos"] ["bring" "dich" "um"] ["du" "verdienst" "den" "tod"];
    Threat: ["ich" "bringe" "dich" "um"] ["ich" "finde" "dich" "und"] ["ich" "tue" "dir" "weh"];
    Sexual: ["sexuell"] ["sexuelle"] ["nacktbilder"] ["pornografisch"];
    Minor: ["kinder"] ["kindern"] ["kindes"] ["jugendliche"];
    Shield: ["verhindern"] ["verhindert"] ["verhinderung"] ["schutz"] ["gesetz"] ["gesetze"] ["verbot"]
        ["verboten"] ["verbieten"] ["geschichte"] ["abwehr"] ["abwehren"] ["erkennen"] ["gegen"]
        ["opfer"] ["beratung"] ["vermeiden"] ["ohne"] ["strafbar"] ["ob"];
    Nothing: ["bombenentsorgung"] ["bombenstimmung"];
    Vulnerable: ["selbstmord"] ["suizid"] ["magersucht"] ["schwanger"] ["schwangere"] ["demenz"]
        ["obdachlose"] ["pflegeheim"];
    Security: ["schwachstelle"] ["schwachstellen"] ["hackerangriff"] ["cyberangriff"]
        ["datenleck"] ["datenschutz"];
    Medical: ["medikament"] ["medikamente"] ["krankheit"] ["impfung"] ["impfstoff"] ["patienten"]
        ["krebs"] ["dosierung"] ["therapie"];
    Legal: ["rechtsstreit"] ["anwalt"] ["haftung"] ["klage"] ["gericht"] ["sorgerecht"] ["dsgvo"];
];

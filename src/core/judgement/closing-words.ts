/**
 * The phrases with which a last message asks, offers or promises, as data. Each pattern runs on one sentence of at most
 * a few hundred characters, without code and quotations. English first; common phrases of seven other languages are
 * included because a question mark alone does not separate a courtesy from a question.
 */

interface Words {
  test(sentence: string): boolean;
}

/** Whether any of the patterns matches. A single alternation takes less than half the time. */
function anyOf(patterns: readonly RegExp[]): Words {
  const joined = ["i", ""].map((flags) => {
    const sources = patterns.filter((one) => one.flags === flags).map(({ source }) => `(?:${source})`);
    return sources.length === 0 ? null : new RegExp(sources.join("|"), flags);
  });
  return { test: (sentence) => joined.some((one) => one?.test(sentence)) };
}

/** Courtesies after finished work: no answer is expected. */
export const OFFERS: Words = anyOf([
  /\b(?:anything|something) else\b|\b(?:any|other|further|more) (?:questions|concerns|changes|tweaks|adjustments)\b/i,
  /\bhow (?:can|may|could) I (?:help|assist)\b|\bwhat else\b|\bwhat'?s next\b/i,
  /\b(?:let me know|tell me|just (?:say|ask|shout)|ping me|reach out) (?:if|should) (?:you|there|that|this|it|anything|any|something)\b/i,
  /\blet me know (?:how (?:it|that|this)|in case)\b/i,
  /\b(?:feel free|don'?t hesitate|happy to|glad to|here to help|at your disposal|hope (?:this|that|it) helps|say the word)\b/i,
  /\bif (?:you(?:'d| would)? (?:like|want|prefer|need|wish)|needed|desired|useful|helpful)\b.{0,120}\b(?:I can|I could|I'll|I will|let me know|just (?:say|ask)|happy)\b/i,
  /\bI (?:can|could) (?:also |then |additionally )?.{0,120}\bif (?:you(?:'d| would)? (?:like|want|prefer|need)|needed|that helps|useful)\b/i,
  /\b(?:Sag(?:en Sie)?|Gib|Geben Sie|Lass|Lassen Sie)\b.{0,24}\b(?:Bescheid|wissen),? (?:wenn|falls|sollte)/i,
  /\b(?:sonst noch|noch etwas|weitere Fragen|Melde dich|Melden Sie sich)\b/i,
  /\bn['’]hésite[zs]?\b|\b(?:dis|dites)[- ]moi si\b|\bautre chose\b|\bfais-moi savoir si\b/i,
  /\b(?:av[ií]same|av[ií]seme|h[aá]zmelo? saber|d[ií]me|me avise|me diga) (?:si|se)\b|\bno dud(?:es|e) en\b|\b(?:algo|alguma coisa) m[aá]s\b|\bmais alguma coisa\b/i,
  /(?:如果|如有|若).{0,24}(?:需要|问题|疑问)|随时|还有什么|其他(?:需要|问题)/,
  /(?:他に|ほかに|何か(?:あれば|ありましたら|ご)|ご不明|ご質問)/,
]);

/** The agent cannot continue without an answer, whatever it did before. */
export const ASKS: Words = anyOf([
  /(?:^|[,;:—–-] ?|\b(?:so|and|then|first|could you|can you|would you|need you to) )(?:please )?(?:confirm|choose|pick one|pick an|decide|clarify|specify|approve)\b(?! (?:that|it|this)? ?(?:it |everything |all )?(?:works|looks|runs|is (?:working|fine|ok)))/i,
  /\bplease (?:confirm|choose|pick|select|decide|clarify|specify|provide|share|paste|send|supply|approve|advise|answer|reply|respond|indicate|tell me|let me know (?:which|what|whether|how|who|where|when))\b(?!.{0,24}\b(?:works|looks|runs|goes|working)\b)/i,
  /\b(?:let me know|tell me|say|advise) (?:which|whether to|who|where)\b/i,
  /\b(?:let me know|tell me|ping me|say so|come back) (?:once|when|after|as soon as) (?:you|it|that|this|the|done|ready|finished)\b/i,
  /\b(?:let me know|tell me) (?:how|what) (?:you(?:'d| would)? (?:like|want|prefer)|to|I should|we should)\b/i,
  /\b(?:wait(?:ing)?|await(?:ing)?|hold(?:ing)?|stand(?:ing)? by) (?:on |for )?(?:your|you|an? (?:answer|decision|reply|response|confirmation|approval|go-ahead))\b/i,
  /\bI(?:'ll| will|'m going to)? ?(?:need|require) (?:your|you to (?:confirm|choose|decide|provide|tell|pick|grant|log)|a decision|an answer|(?:some )?(?:more )?(?:input|information|clarification|guidance)|to know|to ask)\b/i,
  /\bI(?:'ll| will)? need (?!to ).{0,80}\b(?:to|before I can) (?:continue|proceed|go on|start|begin|finish)\b/i,
  /\bif you (?:approve|agree|confirm|give (?:me )?(?:the|your)|are (?:ok|okay|fine|happy) with)\b/i,
  /\b(?:can(?:'t|not)|unable to|won'?t|not able to) (?:proceed|continue|go on|move forward|start|begin|do (?:this|that|it))\b.{0,60}\b(?:without|until|unless|before)\b/i,
  /\b(?:before (?:I|we) (?:proceed|continue|start|begin|go|make|push|merge|deploy|delete|run|implement)).{0,120}\b(?:need|confirm|decide|choose|know|approve|your|you)\b/i,
  /\b(?:once|after|as soon as|when) you(?:'ve| have|r)? ?(?:confirm|approve|decide|choose|pick|answer|reply|respond|provide|share|tell|give|sign|log|done|set|added|grant|answered|decided|chosen|confirmed|approved|provided|approval|decision|answer)/i,
  /\b(?:your (?:call|choice|decision)|up to you|the (?:choice|decision) is yours|how (?:would|do|should) (?:you|we|I)\b.{0,60}\b(?:proceed|handle|like|want|prefer))/i,
  /\b(?:reply|respond|answer|type|enter|say|send) (?:with )?(?:‹quote›|‹code›|yes|no|y\b|go\b|one of|the number|a number|[A-D1-9]\b)/i,
  /[([](?:y(?:es)?\/n(?:o)?)[)\]]/i,
  /\bBitte (?:bestätige|bestätigen|wähle|wählen|entscheide|gib an|geben Sie (?:an|mir)|teile|teilen)|\bSag(?:en Sie)? mir,? (?:welche|ob|was|wie)/i,
  /\b(?:merci de|veuillez|peux-tu|pouvez-vous|pourriez-vous) (?:me )?(?:confirmer|choisir|préciser|fournir|indiquer)|\bconfirme[zr]?[- ]moi\b|\b(?:dis|dites)[- ]moi (?:aussi )?(?:quel|lequel|laquelle|ce que|comment|ton|ta|tes|votre|vos)|\b(?:j['’]attends|en attente de) (?:ta|ton|tes|votre|vos)\b|\bréponde?[sz] par\b/i,
  /\b(?:por favor,? )(?:confirm[ae]|elig[ea]|elij[ae]|indi(?:ca|que)|escol(?:ha|he))|\b(?:d[ií]me|me diga) (?:cu[aá]l|qu[eé]|qual)/i,
  /请(?:您|你)?(?:先)?(?:确认|选择|决定|提供|指定|说明|告诉我)|等待(?:您|你)的/,
  /(?:教えて|選んで|選択して|確認して|指定して|決めて)(?:ください|いただ)|どちら|どれ(?:を|が|に)/,
]);

/** Questions that are a courtesy after finished work, and a real question before. */
export const COURTESY_QUESTIONS: Words = anyOf([
  /^(?:so,? |and |also,? |otherwise,? |finally,? )?(?:would|do) (?:you|ye) (?:like|want|need|prefer)\b/i,
  /\b(?:want|like|need|prefer) me to\b|^(?:so,? )?(?:should|shall|may|can|could) (?:I|we)\b|^(?:interested in|want (?:an?|the|to|some|any))\b/i,
  /\b(?:does|do|is|are|did) (?:that|this|it|these|those|everything|the (?:above|plan|changes?|result|output))\b.{0,40}\b(?:ok|okay|good|right|fine|correct|work|sense|look|help|answer|match|sound|acceptable|clear)/i,
  /^(?:sounds?|looks?|makes?|all) (?:good|right|ok|okay|sense|clear)\b|^(?:ok|okay|thoughts|agreed|right)\?/i,
  /\bwhat (?:would you like|do you want|should I|shall I|do you think)\b/i,
  /\b(?:Soll ich|Sollen wir|Möchtest du|Möchten Sie|Willst du|Wollen Sie)\b/i,
  /\b(?:veux-tu|voulez[- ‑]vous|souhaite[sz][- ‑](?:tu|vous)|dois-je|aimeriez-vous) ?(?:que je)?/i,
  /¿?\b(?:quieres|quiere|te gustar[ií]a|le gustar[ií]a|deseas|desea|quer|gostaria) (?:que|de que)\b/i,
  /(?:需要|要|想让|希望)我|是否(?:需要|要)/,
  /(?:ましょうか|ますか|ほしいですか|よろしいですか)/,
]);

/** In a courtesy question: work beyond the task. */
export const EXTRA: RegExp =
  /\b(?:also|as well|too|else|next|any of (?:these|those|the)|further|additional(?:ly)?|another|more|other|auch|noch|außerdem|aussi|également|également|encore|tambi[eé]n|adem[aá]s|tamb[eé]m)\b|还|再|另外|さらに|追加/i;

/** In a courtesy question: permission to continue with the task itself. */
export const GO_ON: RegExp =
  /\b(?:proceed|continue|carry on|go ahead|go on|keep going|start|begin|resume|move (?:on|forward|ahead)|fortfahren|weitermachen|anfangen|beginnen|continuer|poursuivre|commencer|proc[eé]der|continuar|contin[uú]e|proceder|empezar|empiece|seguir|prosseguir)\b|继续|开始|続け|進め/i;

/** A request for an opinion: a courtesy after finished work, a question when a plan is on the table. */
export const OPINION: RegExp =
  /\blet me know (?:what|how|whether|if|your (?:thoughts|opinion|feedback))\b|\b(?:let me know|tell me)[.!]?$/i;

/** In a courtesy question: an irreversible step, so that the answer matters. */
export const RISKY: RegExp =
  /\b(?:delete|drop|remove|wipe|erase|overwrite|discard|truncate|revert|roll ?back|force[- ]push|reset|deploy|publish|release|migrate|pay|purchase|löschen|supprimer|borrar|eliminar)\b|删除|削除/i;

/** Two things to choose from: "tabs or spaces", "keep it, or delete it". */
export const ALTERNATIVES: RegExp =
  /\b(?:or|oder|ou|o)\b(?! (?:so|any|anything|something|other|others|more|less|similar|etc|even|near|whatever)\b)|还是|或者|それとも/i;

/** Reports finished work. Finding, reading and planning do not count. */
export const FINISHED: Words = anyOf([
  /(?:^|[.!:;\n✅✔✓*-] ?)(?:all )?(?:done|fixed|completed?|finished|implemented|added|updated|created|removed|refactored|resolved|renamed|replaced|committed|pushed|merged|deployed|installed|configured|moved|rewrote|changed|cleaned)\b/i,
  /\b(?:I|we)(?:'ve| have)?(?: now| also| just| successfully| already)? (?:fixed|added|updated|created|changed|implemented|removed|refactored|completed|finished|replaced|moved|renamed|rewrote|rewritten|wrote|written|built|made|installed|configured|committed|pushed|merged|deployed|resolved|corrected|adjusted|cleaned|converted|migrated|applied|set up|done|extracted|simplified|wired|documented)\b/i,
  /\b(?:tests?|builds?|checks?|suite|lint|pipeline|everything|all)\b.{0,40}\b(?:pass|passes|passed|passing|green|succeeds?|succeeded|clean|work|works|compiles?)\b/i,
  /\b(?:is|are) (?:now )?(?:done|complete|completed|finished|ready|fixed|implemented|in place|live|working|up to date|resolved|deployed|merged)\b/i,
  /\b\d{1,6} passed\b|✅/,
  /\b(?:fertig|erledigt|behoben|hinzugefügt|abgeschlossen|umgesetzt|terminé|terminée|corrigé|ajouté|c['’]est fait|hecho|listo|lista|arreglado|corregido|completado|completada|añadido|pronto|conclu[ií]do|corrigido|adicionado)\b/i,
  /已(?:经)?(?:完成|修复|添加|更新|创建|实现)|(?:完成|修复)了|(?:完了|修正|追加|更新|作成|実装)しました/,
]);

/** Negates a report of finished work. */
export const UNFINISHED: RegExp =
  /\b(?:not|n['’]t|never|nothing|isn|aren|haven|hasn) ?(?:yet |been |yet been |fully )?(?:done|fixed|complete|completed|finished|implemented|changed|applied|pass|passing|committed|merged|ready|working)\b|\b(?:before|once|until|after|if|when) (?:it|this|that|everything|all)\b/i;

/** Announces the next step. Matched at the start of a sentence, after markup. */
export const PROMISES: Words = anyOf([
  /^(?:(?:ok(?:ay)?|great|good|perfect|right|alright|sure|now|next|then|first|finally|so|and|after that|from here|with that(?: done)?|now that .{0,60}?)[,.:!]? )?(?:I(?:'ll| will|'m (?:now )?going to| am going to|'m about to| still need to| need to| have to| must| should now|'ll now| will now)|let me|let['’]s|going to|about to|time to) (?!not\b)/i,
  /(?:^|^(?:now|next|then|and|so)[,:]? |[,;:—–] (?:so |and |but |then )?)(?:I['’]ll|I will|I['’]m going to|I am going to|let me|I['’]m (?:now )?(?:running|checking|copying|reading|looking|fixing|updating|adding|testing|starting|building|moving|continuing)) (?!not\b)/i,
  /^(?:next|then|now),? (?:the|up|on to|step)\b.{0,80}[:…]$/i,
  /^(?:Jetzt |Nun |Als Nächstes |Dann )?(?:werde ich|ich werde|führe ich|prüfe ich|lass mich)\b/i,
  /^(?:Maintenant,? |Ensuite,? |À présent,? )?(?:je vais|laisse[zs]?-moi|passons)\b/i,
  /^(?:Ahora,? |A continuación,? |Luego,? |Agora,? )?(?:voy a|vamos a|déjame|permíteme|vou|deixe-me)\b/i,
  /^(?:接下来|现在(?:我|让我)|让我|我(?:将|会|来|先|现在)|下面我)/,
  /^(?:次に|これから|それでは|では).{0,60}(?:ます|ましょう)[。.]?$/,
]);

/** Sentences of the same form that announce no work: remarks, notes, conditions. */
export const NOT_PROMISES: RegExp =
  /^(?:if|whenever|unless)\b|\b(?:let me know|I(?:'ll| will) (?:be (?:here|happy|glad|ready|available)|leave|stop|note|mention|stand by|hold off|keep (?:that|this|it|an eye)|remember|assume|let you|defer|skip|not)|I (?:need|have) to (?:stop|point out|mention|note|admit|be honest|apologi[sz]e))\b|^let's encrypt\b|\b(?:from now on|going forward|in (?:the )?future|next time|unless|if you|should you|whenever)\b/i;

/** Announced explanations: the following sentences fulfil them. */
export const SPEECH: RegExp =
  /\b(?:let me|I(?:'ll| will)|let['’]s) (?:just |briefly |quickly |first )?(?:explain|summari[sz]e|clarify|walk|show you|break|note|point|give you|recap|describe|list|outline|be)\b/i;

/** "Running the tests now": an announcement without a subject. */
export const GERUND_PROMISE: RegExp =
  /^(?:now |next[,:]? (?:up:? )?)?(?:now )?(?:running|checking|starting|reading|looking|fixing|updating|creating|adding|implementing|continuing|proceeding|moving on|investigating|examining|searching|building|installing|applying|writing|re-?running|verifying|inspecting|reviewing)\b/i;

/** "Running the tests takes a minute": a gerund as subject, not an announcement. */
export const GERUND_SUBJECT: RegExp =
  /\b(?:is|are|was|were|will|would|should|can|could|may|might|fix(?:es|ed)|pass(?:es|ed)|work(?:s|ed)|requires?|needs?|took|takes|gives?|gave|shows?|showed|solve[sd]|resolve[sd]|fail(?:s|ed)|means?|makes?|made|helps?|lets|allows?|causes?|caused|breaks?|broke|succeeded|completed)\b/i;

/** A heading in the form of a question, answered by the lines below it. */
export const RHETORICAL: RegExp =
  /^(?:how (?:do I|can I|does|to)|why|what(?:'s| is| are| was| did| changed| does| happened))\b(?!.*\byour?\b)/i;

/** A question to the human, rather than one that the text itself answers. */
export const ADDRESSED: RegExp =
  /\b(?:you|your|I|me|we|us|du|dir|dich|Sie|Ihnen|ich|wir|tu|te|toi|vous|je|nous|tú|usted|quieres|prefieres|prefiere|você|which|ok|should|shall)\b|[你您我]|(?:ますか|ですか|ましょうか)/i;

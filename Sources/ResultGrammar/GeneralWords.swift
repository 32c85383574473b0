/// What words of twenty languages say of a result.
///
/// All are in lower case, as normal text has them; a word that ends in `*` is the beginning of many.
package enum GeneralWords {
  /// Words that count what the player did; the number before them, or behind with a colon, is a
  /// score.
  private static let attempts = """
    guess guesses try tries attempt attempts move moves turn turns step steps stroke strokes shot shots \
    reveal reveals click clicks clue clues swap swaps flip flips hop hops coup coups essai essais \
    tentative tentatives tentativas tentativa tentativi tentativo intento intentos intents versuch* \
    rateversuch* zug züge zügen pogingen poging gokken beurten försök gissningar forsøg forsøk gæt \
    yritystä yrityksellä próby próbach prób pokus* pokusů kísérlet* próbálkozás* încercări încercare \
    попыт* ход* спроб* deneme denemede tahmin* προσπάθει* palpites jogadas aciertos acertos pistes \
    回* 次* ターン* 번* 手* 步* 시도* トライ* ניסיון ניסיונות ניחוש* מהלכים צעדים محاول* تخمين* خطو* percub* percob* \
    tebakan langkah lượt lần गलतियाँ कोशिश* प्रयास* ครั้ง arvau* gissning* drag gjett* siirto* próba* próbából lépés* \
    mutări шаг* догадк* здогад* hamle* adım* κινήσεις κίνηση βήματα jogada lances passos movimientos jugadas pasos \
    mouvements étapes clics mosse passi zetten stappen schritte* klicks ruchy ruchów kroków katsega katset bandym* \
    mēģināj* poskus* pokušaj* покушај* опит* saiakera* rungs
    """

  /// Words before a score.
  private static let scores = """
    score scores scored points pt pts point punts total punten punktów puntos punti punteggio puntaje puntuación pontos \
    pontuação punkte punkten punkt punktzahl ergebnis resultat résultat result resultado risultato poäng poeng \
    points pisteet pistettä pkt wynik punkty body pontszám pont scor puncte балл* очк* счёт счет рахунок puan skor \
    βαθμο* スコア 結果 正解 정답 得分 结果 점수 결과 результат результат* sonuç skor điểm correct solved found trouvés richtig corretti correctas \
    corretas σωστά rätt \
    נקודות نقطة نقاط درجة πόντοι πόντους अंक स्कोर คะแนน poin 점 点 punts bodova поена точки taškų
    """

  /// Words of a player who solved it.
  private static let solved = """
    solved completed finished found cracked beat won guessed nailed aced résolu trouvé trouvée gagné réussi \
    terminé fini gelöst geschafft logré erraten resolví resuelto adiviné acerté gané completé completado \
    resolvi consegui acertei ganhei descobri completei risolto indovinato vinto completato trovato \
    opgelost geraden gevonden löste klarade löst løste gættede klarte ratkaisin rozwiązał* odgad* zgadł* \
    vyřešil* uhodl* megfejtett* kitalált* rezolvat ghicit решил* угадал* угадан* отгадан* разгадан* решен* найден* пройден* відгадав çözdüm buldum bildim \
    λύσει βρήκα conseguido conseguí encontrei achei פתרתי מצאתי gefunden entdeckt geknackt \
    descubrí adivinado resuelto encontré deviné devinée découvert réussie gewonnen vinta indovinata \
    voltooid hittade gissade fandt fant oppdaget arvasin löysin ukończył* ułożył* znalazł* uhádl* našel \
    megoldottam megtaláltam descoperit отгадал* нашёл нашла знайшов розгадав çözdüm tamamladım \
    berhasil menebak menyelesaikan tìm được giải クリア* 풀었* 맞혔* 맞췄* حللت وجدت خمنت हल \
    encontrado acertado ganado logrado trobat encertat resolt guanyat løst gættet gjettet вгадав вгадала \
    deciphered decoded unscrambled cleared حلل* خمنت* وجدت* نجحت* ניחשתי הצלחתי ניצחתי έλυσα κέρδισα çözüldü bitirdim \
    kazandım başardım सुलझा* जीता* rozwiązan* odgadnięt* uhodnut* vyřešen* vyluštil* zvládl* uhádnut* vyriešil* \
    sikerült megfejtve megoldva reușit ratkaistu selvitin löst klarat klaret gættet gjettet gehaald résolue gagnée \
    risolta completata descubierto descubierta resuelta adivinada superado resolvido concluí selesai สำเร็จ вгадано відгадано угадано отгадано \
    разгадано решено пройдено познах реших pogodio pogodila riješio rešio lahendasin encertada resolta \
    venci wygrał* vyhrál* nyertem câștigat победил* выиграл* переміг виграв λύθηκε \
    成功* 성공* 通关* 通關* 猜中* 猜对* 完成 猜到* で正解* 解けた* 当てた*
    """

  /// Those that are said of a puzzle and of no race: `solved`, not `finished`.
  private static let solvedPuzzles = """
    solved cracked guessed deciphered decoded unscrambled résolu deviné devinée gelöst erraten geknackt resolví \
    resuelto adiviné adivinado resolvi risolto indovinato opgelost geraden löste klarade løst gættede ratkaisin \
    arvasin rozwiązał* odgad* zgadł* vyřešil* uhodl* megfejtett* kitalált* rezolvat ghicit решил* угадал* отгадал* \
    разгадал* відгадав вгадав çözdüm bildim λύσει פתרתי resolt encertat menebak giải 풀었* 맞혔* 맞췄*
    """

  /// Verbs in a form that only the player who writes uses: `acertei`, `megfejtettem`.
  private static let ownVerbs = """
    resolví adiviné acerté gané conseguí encontré descubrí completé resolvi consegui acertei ganhei descobri \
    encontrei achei completei klarade ratkaisin arvasin löysin odgadłem odgadłam zgadłem zgadłam rozwiązałem \
    rozwiązałam megfejtettem megoldottam megtaláltam kitaláltam uhodl uhodla vyřešil vyřešila çözdüm buldum \
    bildim λύσει βρήκα פתרתי מצאתי отгадал отгадала угадал угадала вгадав вгадала відгадав разгадал решил \
    desisti desistí perdí fallé falhei feladtam przegrałem przegrałam poddałem poddałam prohrál prohrála vzdal \
    kaybettim bulamadım bilemedim çözemedim başaramadım נכשלתי הפסדתי έχασα απέτυχα сдался сдалась здався здалася
    """

  /// Words of a player who shared a result, which say nothing of its end.
  private static let played = """
    got scored played joguei jugué joué giocato fatto fait erreicht gespielt speelde spelade spillede spilte pelasin grałem \
    zagrał* hrál* játszott* jucat играл* oynadım totalizzato ottenuto realizzato obtuve saqué hice obtenu \
    obtive marquei fiz erzielt geholt erspielt scoorde behaalde behaald fick uppnådde fikk oppnådde \
    opnåede fik sain zdobył* uzyskał* získal* szerzett* elértem obținut набрал* набрала получил* отримав aldım yaptım πήρα \
    mendapat skorku đạt hecho obtenido sacado jugado superado marcado fiz tirei erreichte \
    schaffte prošel прошёл прошел прошла пройшов ответил ответила відповів заработал выбил earned reached \
    identified answered caught collected popped llegado arrivato raggiunto atteint marqué survived survécu überlebt sobreviví sobrevivi sopravvissuto lasted
    """

  /// Words that may begin the sentence of a player where no other verb does.
  private static let weakVerbs = "took used did made just my"

  /// Words of a player who did not solve it.
  private static let lost = """
    failed lost didn't couldn't fail perdu échoué raté perdí perdi fallé falhei perso fallito verloren \
    gescheitert gefaald förlorade tabte tapte hävisin przegrał* prohrál* vesztett* pierdut проиграл* \
    програв kaybettim έχασα gave gav gaf missed unsolved stumped dnf aufgegeben verpasst abandonné \
    abandonne rendido rendí desisti desistí arreso opgegeven mislukt luovutin poddał* vzdal* feladtam \
    renunțat сдался сдалась здався здалася vazgeçtim menyerah gagal thua failure skipped خسرت فشلت נכשלתי \
    הפסדתי απέτυχα bulamadım bilemedim çözemedim başaramadım हार असफल przegran* poległ* neuhod* nevyřešil* \
    epäonnistu* misslyckades mislykkedes mislyktes pude 失敗* 失败* 실패* できず* できなかった*
    """

  /// Words before a value that does not belong to a puzzle: `Current streak 9`.
  private static let values = """
    streak streaks rank racha série top level round best average avg record hints hint day dica dicas pista \
    pistas indice indices hinweis hinweise tipp tipps suggerimenti suggerimento aiuti aiuto podpowiedzi ipucu \
    ledtrådar vihje vihjeet подсказ* підказ* ヒント 提示 힌트 nivel nível livello niveau nivå taso poziom úroveň szint
    """

  /// Small words and helping verbs, which say nothing; and those that present something.
  private static let small = """
    here here's heres voici aquí aqui ecco вот \
    finally appena acabei acabo viens vengo and have has had was am were is are it its with by over just also only now own every all habe hab hatte bin mit nur und \
    dem den ein eine einen einem meine mein meinen mon ma mes avec dans sur pour par et ai est un deux c'est ha han hemos \
    con por para y mi mis es su una unos he tenho com meu minha e é foi uma um fui ho hai ha per e è mio mia mie sono heb ben \
    met op een en mijn har med och og min mitt mine det den ett et jsem mam mám jsem s ve moje můj to bylo mi mam się moje \
    és egy az a az am și cu pe o din я мой моя мои и с со это у меня мне ve ile bir bu için ben kanssa ja oma και με το по \
    την ένα μου hasta até bis tot till i amb per els les el meu
    """

  /// Words of documents, work and sports, which are numbered and are no game.
  private static let documents = """
    page chapter section task issue bug invoice order version build test commit pull pr fix fixes merge \
    release ticket room flight gate season episode sprint deploy deployment pipeline job run batch lane \
    training meeting agent id station platform channel match article paragraph figure table item lot bus \
    route highway apartment suite unit model serial account customer receipt case docket podcast track \
    volume vol scene verse rule law amendment exhibit phase stage lap row line part rfc cve step poll \
    delivery parcel shipment aufgabe lieferung rechnung auftrag bestellung seite kapitel facture \
    commande chapitre tâche factura pedido tarea página capítulo fattura ordine capitolo bestelling \
    factuur faktura ordre zamówienie strona счет-фактура заказ задача глава \
    recipe rezept recette receta receita ricetta recept przepis рецепт opskrift oppskrift resepti lesson lektion \
    leçon lección lição lezione lekcja lekce урок úkol úloha zadanie feladat görev számla rachunek účet kvitto \
    regning lasku tehtävä tilaus oppgave opgave uppgift ärende beställning kapitola rozdział fejezet bölüm kapittel \
    рахунок завдання замовлення розділ τιμολόγιο εργασία παραγγελία κεφάλαιο 請求書 注文 タスク 任务 订单 发票 작업 주문 \
    과제 청구서 משימה חשבונית הזמנה مهمة فاتورة طلب تذكرة tugas pesanan faktur bilet billet bilhete biglietto folge \
    épisode episodio wohnung faktúra objednávka kuitti apartament appartement piso квартира квитанция дело акт \
    bolig kamer matsal pokoj pokój kerros lauf palette pallet palet paleta kiste kasse caisse caja caixa vagón wagon vagone \
    вагон projekt project projet proyecto projeto progetto проект проєкт proje proiect hanke kurs cours curso corso курс kurz \
    会議 회의 meeting-nr toplantı spotkanie schůze möte møde møte kokous réunion reunión reunião riunione besprechung \
    vergadering sitzung собрание совещание treffen termin rendez-vous cita soba szoba oda odă комната кімната etage étage \
    planta piano piętro patro våning σελίδα δωμάτιο غرفة חדר 部屋 房间 방 stanza habitación quarto raum zimmer
    """

  /// Words that begin a line and are no game's name.
  private static let labels = """
      platz puesto posto colocação plats plass moyenne durchschnitt rang ranking runde ronde serie time zeit temps tiempo tempo tijd tid mean max min mistakes \
      errors fehler erreurs errores erros page chapter section step task issue bug invoice order version \
      build test commit pull request pr fix fixes fixed closes merge release ticket room flight gate \
      season episode accuracy rarity uniqueness distance bonus luck skill and i we you \
      yesterday part row line total left remaining progress percent percentile players player place \
      wins losses win loss played link code ref number qty table figure grade phase stage lap \
      match article paragraph note item lot bus route highway apartment suite unit model serial account \
      customer receipt case docket podcast track volume vol act scene verse rule law amendment exhibit
    """

  /// Words before a value that is not the score of a puzzle.
  private static let otherValues = """
    rank streak average avg best max top hint hints played wins round rarity uniqueness skill luck \
    accuracy racha serie série wrong incorrect mistake mistakes errors fehler erreurs bonus extra peeks \
    yesterday moyenne durchschnitt media média promedio level rang similarity similitud dica dicas pista pistas \
    indice indices hinweis hinweise tipp tipps suggerimenti suggerimento aiuti aiuto podpowiedzi ipucu ledtrådar \
    vihje vihjeet подсказ* підказ* ヒント 提示 힌트
    """

  /// Words between a number and its maximum: `3 out of 6`, `4 von 6`.
  private static let of =
    "of out von van de du des del della do da sur su di av af z ze из з од od az din the les los den מתוך من dari trên από"

  /// Words for day before the number of a daily puzzle.
  private static let days =
    """
    day dag tag jour día dia giorno dzień den gün nap päivä день hari ngày ziua ημέρα puzzle level
    """

  /// Words for week before the number of a weekly puzzle, which are read as those for day.
  private static let weeks = """
    week woche semaine semana settimana vecka uke uge viikko tydzień týden hét săptămâna неделя тиждень hafta
    """

  /// Levels of difficulty and sizes of a puzzle.
  private static let levels = """
    easy medium normal hard expert extreme beginner mini midi maxi facile moyen difficile fácil medio \
    difícil leicht mittel schwer makkelijk moeilijk łatwy trudny
    """

  /// Words that begin a sentence and no title.
  private static let prose = """
    and that's it's this that there here he she they it these those what when which who where why how if but \
    or so no yes not with from by at on for to of as is was are were be been has have had will can could \
    would should may might must do does let let's please note see run after before then now also all \
    both each every any some more most self return if else
    """

  /// Endings of the names of files, which are not hosts.
  private static let fileEndings = """
    json md txt py js ts tsx jsx swift cpp hpp html htm css scss yml yaml xml csv tsv zip gz tar log exe \
    dll png jpg jpeg gif svg pdf rb java kt lock toml ini cfg conf vmdk img iso deb rpm class jar php sql \
    db sqlite plist bin dat tmp bak old orig diff patch mk cmake lua bat doc docx xls xlsx ppt pptx rst \
    tex ztst vim el po
    """

  /// Endings of hosts of a country that are those of files as well.
  private static let countriesAndFiles = "ac am cc in mo pl pm rs sh so"

  /// Words that name no game by themselves, and may be with its number.
  private static let generic = """
    puzzle game day daily board no number grid jeu tag tagesrätsel rätsel juego jogo gioco partita dag \
    spel puzzel spil spill peli gra zagadka hra játék joc игра гра oyun παιχνίδι mot mode edition today \
    today's todays challenge level wort word theme issue quiz heute hoje hoy oggi
    """

  /// Words before a name in a sentence.
  private static let articles = """
    the a an in on at of today's todays today daily this that le la les l' el los las un une o os um uma il \
    lo gli i das den die der das het de dagens over d' du à al do da no na nel del à of all modes aujourd'hui \
    my opponent with für for from playing to puzzle au aux im beim auf zum zur nella nello sulla sullo nos nas pelo \
    pela på ved hos
    """

  /// The days of a week, which leave a game's name the same.
  private static let weekdays = """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun montag dienstag \
    mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes \
    martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato \
    domenica segunda terça quarta quinta sexta
    """

  /// Hosts where anything is shared.
  private static let commonHosts = """
    twitter x t facebook youtube youtu imgur discord giphy tenor wikipedia reddit instagram tiktok google \
    docs github gitlab amazon apple apps medium spotify linkedin lnkd bit tinyurl mastodon bsky telegram \
    whatsapp nytimes bbc cnn example itch
    """

  /// Words before an average or a best, whose time is not that of this puzzle.
  private static let averages = "average avg best streak record mean next"

  /// Words behind a number of guesses that were not used.
  private static let unused = "spare left remaining"

  /// Words beside the name of a game that leave it the same game.
  private static let sameGame = """
    a and app archive daily did finished game games got heute hoje hoy i il just mein meine meu mi mio \
    mon my oggi online our play played result results share solved stats the today today's todays wow
    """

  /// Words that deny what follows: `did not solve`, `pas trouvé`.
  private static let negations = """
    not non pas nicht kein keine ne nie ni ikke inte niet geen не nem nu değil jamais não nao didn't \
    couldn't don't never chưa không
    """

  /// Verbs of a player's end that say nothing without a denial before them.
  private static let toSolve = """
    solve find guess complete finish crack beat résoudre trouver réussi lösen schaffen erraten geschafft \
    terminer marquer marcar fazer hacer resolver adivinar encontrar acertar completar risolvere indovinare trovare oplossen raden lösa løse \
    gætte ratkaista rozwiązać odgadnąć угадать решить đoán giải
    """

  /// Words for today and for daily.
  private static let today = """
    today's todays today daily heutige heutigen heute tägliche hoy hoje oggi aujourd'hui jour quotidien \
    vandaag vandaags dagens idag tänään dzisiejszy dzisiejszą dzisiaj dnes dnešní mai azi сегодня \
    сегодняшн* сьогодні bugün bugünün σήμερα σημερινό 今日 今日の 今天 오늘 오늘의 היום اليوم आज วันนี้ päivän napi denní \
    codzienna codzienny daglig dagligt günün zilei
    """

  /// Words for puzzles in the names of games.
  private static let puzzles = """
    crossword crosswords sudoku kakuro nonogram mini midi puzzle puzzles quiz trivia wordle guessing guessr kreuzworträtsel rätsel \
    crucigrama cruciverba korsord krydsord kryssord krzyżówka game games wordwheel wordsearch codeword kenken \
    minesweeper solitaire picross hangman anagram cryptogram jigsaw bulmaca futoshiki minisudoku \
    jeu juego jogo gioco spiel spel spill joc játék oyun игра игре гра викторин* квиз* кроссворд* \
    rejtvény szórejtvény keresztrejtvény
    """

  /// Those of them that name games of the mind, and no match or race.
  private static let quizzes = """
    crossword crosswords sudoku kakuro nonogram quiz quizze quizzes quizzen quizzet trivia guessr kreuzworträtsel crucigrama cruciverba korsord \
    krydsord kryssord krzyżówka wordwheel wordsearch codeword kenken minesweeper picross hangman anagram \
    cryptogram jigsaw bulmaca futoshiki minisudoku викторин* квиз* кроссворд* rejtvény szórejtvény \
    keresztrejtvény kvíz kwiz cuestionario クイズ 퀴즈
    """

  /// Words for a task of the day, which no game of a sport is.
  private static let challenges = """
    puzzle puzzles challenge rätsel défi énigme reto desafío desafio sfida uitdaging puzzel utfordring udfordring \
    utmaning zagadka
    """

  /// Words for the person who is spoken to.
  private static let you = """
    you u your du dich sie tu te vous votre tú ti usted você voce vocês te voi tuo jij je jullie ты вы sen \
    yourself toi também tú superarme ganarme battermi battimi superarmi vencerme supérer \
    побьёшь побьешь обыграть siz ty dig din tes vos puedes puoi peux kannst schaffst podes consegues consegue riesci riuscirai \
    сможешь попробуй попробуйте спробуй spróbuj zkus próbáld încearcă prøv essaie essayez intenta tenta kokeile
    """

  /// Verbs of an invitation to play.
  private static let invites = """
    beat try play match can challenge think peux pouvez puis peut puoi kannst könnt schaffst puedes pode \
    consegue consegues riesci riuscirai test teste testez battere superar spill spiel spiele joue jouez juega jogue gioca speel spela pelaa graj \
    сыграй играй turn сможешь попробуй попробуйте спробуй spróbuj zkus próbáld încearcă prøv essaie \
    essayez intenta tenta kokeile inténtalo supera superas superarme ganarme battermi battimi superarmi vencerme \
    schlag schlage schlagt slå побей побить побьёшь побьешь обыграть bater bata duvido pots
    """

  /// Endings of hosts that are written without a scheme.
  private static let hostEndings = """
    com net org info biz app dev io co me gg wtf tv fm ai cc ws la to gl xyz site online fun game games \
    club world earth space live today page pages link click tech art quest day city horse zone cool one \
    lol ninja pro plus run sh social studio team tips top uno us vip wiki works world eu nyc la ooo edu \
    gov music movie film golf chat fyi guru house land life love ltd media name news party photo pics \
    play press rip rocks school science shop show ski software style tube video win wine yoga zip gay \
    example in is ly so st ac am pm vc bz nu ee lt lv by kz ua uk ca au nz za mx ar cl pe ve uy at be br \
    ch cn cz de dk es fi fr gr hr hu id ie il it jp kr nl no pl pt ro rs ru se si sk tr tw
    """

  /// Words before a length, whose `m` means metres: `Depth: 42m`.
  private static let lengths = """
    depth distance height altitude length width tiefe distanz entfernung strecke höhe länge breite weite profondeur \
    hauteur longueur profundidad distancia altura longitud profundidade distância comprimento profondità distanza \
    altezza lunghezza diepte afstand hoogte lengte djup avstånd höjd längd dybde højde længde avstand høyde syvyys \
    etäisyys matka korkeus pituus głębokość dystans odległość wysokość długość hloubka vzdálenost výška délka \
    mélység távolság magasság hossz adâncime distanță înălțime глубина дистанция расстояние высота длина глибина \
    відстань висота довжина derinlik mesafe yükseklik uzunluk βάθος απόσταση ύψος μήκος
    """

  /// Words for the modes of a game.
  private static let modes =
    "modes modi modos modalità modalidades modus tilstander lägen tryby módy módok режим* modlar"

  /// Words before a label of what was not used: `ohne Hinweise`.
  private static let without = """
    without ohne sans sin sem senza zonder utan uden uten bez без ilman olmadan nélkül fără χωρίς
    """

  /// Words for the player who writes.
  private static let me =
    "i i've ich je j'ai ik jag jeg eu yo io я minä én já ja ben saya tôi me mir mi mij mig meg mich meus mnie mě меня мене"

  /// Words before a number of guesses that ends a sentence.
  private static let within = "in en em i в во у на за w v på με σε في trong dans dalam"

  /// What is said of documents and work behind their number, and of no game; measures and currencies.
  private static let work = """
    done passed paid unpaid open closed merged pending overdue due tasks stories checks tests items files pages \
    copies seats taken booked sold shipped delivered approved reviewed ready blocked served cups eggs beds rooms \
    boxes bags goals wins losses sets minutes hours members votes students tickets comments bezahlt offen \
    erledigt fertig belegt frei geschlossen geliefert besetzt gelesen zimmer eier personen seiten payé payée \
    terminé terminée terminés fait faite ouvert fermé livré livrée chambres œufs personnes pagado pagada hecho \
    hecha abierto cerrado entregado terminado terminada huevos páginas pago paga feito feita concluído concluída \
    aberto fechado entregue ovos pagato pagata fatto fatta aperto chiuso consegnato uova betaald klaar gedaan \
    geleverd eieren betald betalt klar klart färdig ferdig færdig maksettu valmis tehty zapłacono opłacone \
    zrobione gotowe zaplaceno hotovo hotové splněno fizetve kész plătit gata terminat оплачено готово выполнено \
    сделано закрыто виконано зроблено ödendi tamamlandı bitti hazır πληρώθηκε έτοιμο 完了* 済* 済み 완료* 已付* 已完成 שולם \
    בוצע مدفوع تم lunas dibayar km kg g mg cm mm ml dl eur usd gbp chf sek nok dkk pln czk huf kr zł kč ft руб \
    грн tl mb gb kb tb ms mph kwh \
    vermietet korrigiert verkauft uhradené zaplatené sprzedane sprzedano prodáno eladva vendu vendido venduto verkocht \
    såld solgt myyty продано sold-out satıldı absent attended present
    """

  /// Hosts under which every game has a name of its own.
  private static let platforms = """
    pages vercel netlify herokuapp web glitch surge onrender fly firebaseapp workers replit streamlit \
    neocities azurewebsites appspot wixsite webflow framer lovable railway
    """

  /// Parts of a host between its name and its country.
  private static let secondLevels = "com co org net ac gov edu ne or"

  /// Endings of the hosts of countries, as games in a language of their own have them.
  private static let countries =
    "at be br ch cl cn cz de dk es fi fr gr hr hu id ie il it jp kr lt lv mx nl no pe pl pt ro rs ru se si sk tr tw ua uk"

  /// The names of months, whole and short.
  private static let months = """
    jan gen ene sty led oca янв січ feb fev fév febr lut úno şub фев лют mar mär bře берез apr abr avr \
    kwi dub nis апр квіт may mai mag mei maj kvě май трав jun juin giu cze čer haz июн черв jul juil lug \
    lip červenec июл лип aug ago aoû aou sie srp ağu авг серп sep set wrz zář eyl сен верес oct okt ott \
    out paź říj eki окт жовт nov noi lis kas ноя листоп dec dez dic déc gru pro ara дек груд \
    january february march april june july august september october november december januar februar \
    märz juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre \
    novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre \
    diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro gennaio \
    febbraio aprile maggio giugno luglio settembre ottobre dicembre januari februari maart augustus \
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia \
    ledna února března dubna května června července srpna října listopadu prosince января февраля марта \
    апреля мая июня июля августа сентября октября ноября декабря січня лютого березня квітня травня \
    червня липня серпня вересня жовтня листопада грудня ocak şubat mart nisan mayıs haziran temmuz \
    ağustos eylül ekim kasım aralık marts mars ianuarie februarie martie aprilie iunie iulie septembrie \
    octombrie noiembrie decembrie január február március április május június július augusztus \
    szeptember október gener febrer març maig juny juliol agost setembre octubre desembre
    """

  /// Every word with its classes.
  package static let table = WordTable([
    (.attempts, attempts), (.scores, scores), (.solved, solved), (.played, played), (.lost, lost),
    (.value, values), (.documents, documents), (.label, labels), (.otherValues, otherValues),
    (.of, of), (.days, days), ([.days, .weeks], weeks), (.levels, levels), (.prose, prose),
    (.fileEndings, fileEndings),
    (.countriesAndFiles, countriesAndFiles), (.generic, generic), (.articles, articles),
    (.weekdays, weekdays), (.commonHosts, commonHosts), (.averages, averages), (.unused, unused),
    (.sameGame, sameGame), (.months, months), (.negations, negations), (.toSolve, toSolve),
    (.today, today), (.puzzles, puzzles), (.you, you), (.invites, invites), (.within, within),
    (.platforms, platforms), (.secondLevels, secondLevels),
    (.weakVerbs, weakVerbs), (.countries, countries), (.me, me),
    (.hostEndings, hostEndings), (.modes, modes), (.solvedPuzzle, solvedPuzzles),
    (.ownVerb, ownVerbs), (.challenges, challenges),
    (.without, without), (.work, work), (.quizzes, quizzes), (.small, small),
    (.lengths, lengths),
  ])
}

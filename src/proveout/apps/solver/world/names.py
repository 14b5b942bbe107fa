"""Given and family names by region, to be combined freely."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NameStock:
    given: tuple[str, ...]
    family: tuple[str, ...]


def _stock(given: str, family: str) -> NameStock:
    return NameStock(tuple(given.split()), tuple(family.split()))


LATIN: dict[str, NameStock] = {
    "nordic": _stock(
        "Astrid Eskil Gunhild Halvard Ingeborg Jorunn Leif Maj Njål Oddvar Ragnhild Sigurd Solveig "
        "Torbjørn Ulrika Vilgot Ylva Åse Ejnar Freja Gitte Henning Kaj Liv Møns Siv",
        "Aabakken Bjørkelund Dahlqvist Ekholm Fossum Granlund Hjort Isaksen Kvamme Lövgren Myhre "
        "Norrby Ødegård Rosvall Skoglund Tveit Vestergaard Åkerblom Brattås Holmgren Kjeldsen "
        "Sandvik Stenmark Thorsby Vangsnes Wiberg",
    ),
    "german": _stock(
        "Annegret Bodo Dagmar Eckhart Frauke Gesine Hartmut Ilse Jochen Kordula Ludger Meinhard "
        "Nele Ottmar Reinhild Sieglinde Traugott Ulf Veit Waltraud Jörg Käthe Götz Bärbel Tjark",
        "Achterberg Brüggemann Dornseif Ellwanger Fröhlingsdorf Grünewald Hüttenmeister Immendorf "
        "Kaltenbach Löffelholz Mühlenkamp Nettesheim Oberländer Pfefferkorn Quandt Rüstemeier "
        "Steinbrecher Tischbein Unterweger Vossberg Wüstefeld Zieseniß Krähwinkel Haselhorst "
        "Bärwald Tönnies",
    ),
    "italian": _stock(
        "Adalgisa Brunello Calogero Domitilla Ermenegildo Fiammetta Gioacchino Ilario Loredana "
        "Melchiorre Nives Ottavia Prospero Rosalba Saverio Tarcisio Ulderico Vincenza Zita Niccolò "
        "Cesira Delfina Eraldo Fulvio Ginevra Ippolito",
        "Acquaviva Boscarino Calzolari Dall'Acqua Fanfani Garbarino Lanzafame Montanelli Nardulli "
        "Orsolini Pellizzari Quaranta Rocchetti Spadaccini Tagliabue Ubaldini Vaccarezza Zampieri "
        "Cuccurullo Bevilacqua Mezzanotte Passalacqua Quattrocchi Settembrini Malaspina Trombetta",
    ),
    "french": _stock(
        "Anaëlle Baudouin Clothilde Dieudonné Eloïse Fulbert Ghislaine Hippolyte Isaure Josselin "
        "Ludivine Maëlys Norbert Océane Perceval Quitterie Régis Séverine Théophile Ursule "
        "Violaine Yvonnick Zélie Aurèle Bérengère Corentin",
        "Aubertin Beauregard Chastagnier Desrosiers Échevarne Fauconnier Grandjean Hautecœur "
        "Jolivet Kerbrat Lachenal Maisonneuve Noirclerc Ozanne Péronnet Quesnel Roumégoux "
        "Sauvageot Thévenard Valcourt Ygouf Vuillemin Chantepie Bellefontaine Tournesac Coëtquen",
    ),
    "iberian": _stock(
        "Adolfina Baltasar Casilda Desiderio Eulália Fermín Graciela Hermenegildo Iñaki Jacinta "
        "Leocadia Maximino Nicanor Oihane Plácido Quitéria Rosendo Soledad Tiburcio Urraca Vasco "
        "Ximena Zacarias Belmiro Conceição Ramón",
        "Albuquerque Barrionuevo Cienfuegos Dorronsoro Echeverría Figueiredo Goicoechea Hinojosa "
        "Izquierdo Junqueira Lasarte Mascarenhas Nogueira Ordóñez Peñaranda Quintanilla Rebolledo "
        "Saldanha Tordesillas Urrutia Valdivieso Yrigoyen Zubizarreta Magalhães Bragança Cañizares",
    ),
    "balkan": _stock(
        "Anđelka Borivoje Cvijeta Dragoljub Đurđica Gordana Hrvoje Ivanka Jasenka Krešimir "
        "Ljubica Mladen Nedeljko Ognjenka Predrag Radojka Slobodanka Tihomir Uglješa Vjekoslav "
        "Živojin Zvonimir Šimun Čedomir Vesna Zrinka",
        "Babukić Crnojević Čolaković Dragišić Đorđić Filipčić Gavranović Hadžić Jurčević Kovačina "
        "Lukšić Mrkonjić Njegovan Obućina Pavličić Radmanović Šćepanović Trbojević Uzelac "
        "Vukadinović Zdravković Žigmanov Bjelogrlić Krstulović Maslać Perišin",
    ),
    "polish": _stock(
        "Agnieszka Bożena Czesław Danuta Elżbieta Franciszek Grażyna Henryk Izabela Jędrzej "
        "Kazimierz Ludmiła Mieczysław Natasza Oskar Przemysław Radosław Stanisława Tadeusz Urszula "
        "Wacław Zbigniew Żaneta Łucja Bronisław Dobrawa",
        "Borkowicz Chrzanowska Dębicki Gąsiorek Hajduk Jarzębski Kołodziej Łabędź Makuszyńska "
        "Niewiadomski Ołdakowska Pawlikiewicz Rybarczyk Sławińska Tarnogórski Urbaniak Wróblewicz "
        "Zagórny Żeleński Świątek Cieślak Pstrokoński Szczygieł Wiśnicka Zawistowicz Grabiec",
    ),
    "turkish": _stock(
        "Alparslan Bahar Cemile Doğukan Elif Feride Gökhan Hülya İbrahim Kıvanç Lale Mehtap Nurhan "
        "Oğuz Pınar Rüstem Sevgi Tuğçe Ufuk Vildan Yıldız Zeynep Çağla Şenol Ümit Berkay",
        "Akçay Bozdağ Çelikkol Demirtaş Erdoğmuş Fidan Güneş Hızlı İnce Karadeniz Kılıçarslan "
        "Mutluer Öztürkmen Peker Sarıkaya Şahinbaş Tekinalp Uzunçarşı Yalçınkaya Zorlu Altıntop "
        "Büyükkaya Çakmak Dağdelen Gümüş Tunçer",
    ),
    "southasian": _stock(
        "Aaradhya Bhavesh Charulata Dhananjay Eshwari Farhad Gayatri Hemant Ishita Jagdish Kavita "
        "Lokesh Madhuri Nandini Omprakash Pallavi Raghav Sushila Tejaswini Uttam Vasundhara "
        "Yamini Zubin Harpreet Meenal Suresh",
        "Acharya Bhattacharjee Chaturvedi Deshmukh Edakkara Ghoshal Hegde Iyengar Jayawardena "
        "Kulkarni Lahiri Mukhopadhyay Namboodiri Oommen Parthasarathy Qureshi Ranganathan "
        "Subramaniam Thirumalai Upadhyaya Venkataraman Wadhwa Yadavalli Zaveri Mistry",
    ),
    "english": _stock(
        "Aldous Bettina Cedric Delphine Edmund Fenella Gareth Hester Imogen Jasper Keziah Lorcan "
        "Maeve Niamh Orla Piers Quentin Rhiannon Siobhán Tamsin Uriah Verity Winifred Ailsa Bram "
        "Carys",
        "Ashworthy Blenkinsop Cholmondeley Dunwoody Eccleshall Fairweather Gillespie Hathersage "
        "Inglewood Jellicoe Kirkbride Llewelyn Macgillivray Netherby O'Shaughnessy Penhaligon "
        "Quennell Ravenscroft Shuttleworth Trelawney Umfreville Wetherell Yelland Abernethy "
        "Bickerstaff Pumphrey",
    ),
}

OTHER_SCRIPTS: dict[str, NameStock] = {
    "cyrillic": _stock(
        "Агния Богдан Варвара Глеб Дарина Емельян Зинаида Игнат Лукерья Макар Нонна Прохор Устинья "
        "Фаддей",
        "Абрикосов Берестова Воскобойников Голубева Добролюбов Журавлёва Звягинцев Колокольцева "
        "Лебединский Муромцева Отрадина Преображенский Снегирёва Черепанов",
    ),
    "greek": _stock(
        "Αριάδνη Βασίλης Γαρυφαλλιά Διονύσης Ευθυμία Ζήσης Ηλέκτρα Θρασύβουλος Κλειώ Λεωνίδας",
        "Αναγνωστάκης Βλαχοπούλου Γεωργαντάς Δημουλάς Ζαχαριάδου Καλλέργης Μαυρομάτης Ξανθοπούλου "
        "Παπαδόγγονας Σταυρακάκη",
    ),
    "japanese": _stock(
        "明日香 源太 花枝 一郎太 香澄 光太郎 美津子 直樹 小百合 達哉",
        "安曇野 五十嵐 内ヶ崎 勅使河原 鬼頭 小鳥遊 東雲 早乙女 御手洗 八乙女",
    ),
    "chinese": _stock(
        "婉清 浩然 静姝 俊杰 梓涵 思远 雅琴 宏伟 慧敏 子轩",
        "欧阳 上官 慕容 诸葛 司徒 皇甫 令狐 宇文 端木 百里",
    ),
    "arabic": _stock(
        "أسيل باسل تغريد جلال حنين خلدون دانية رامي زينة سلوى",
        "البغدادي التونسي الجزائري الحلبي الخطيب الدمشقي الرفاعي الزبيدي السمرقندي الشهابي",
    ),
    "hebrew": _stock(
        "אביגיל ברוך גליה דביר הדסה זהבה חיים טליה יואב כרמית",
        "אלמגור ברקוביץ גולדברג דרורי הראל זילברמן חרמוני טננבאום ירושלמי כספי",
    ),
}

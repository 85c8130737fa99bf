// Embeds the examples and templates while compiling. The compiler records them as dependencies: a changed file rebuilds this one.
#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char button_button_swift[] = {
#embed "../../Examples/Button/Button.swift"
};

static const unsigned char button_main_swift[] = {
#embed "../../Examples/Button/main.swift"
};

static const unsigned char button_press_json[] = {
#embed "../../Examples/Button/press.json"
};

static const unsigned char logo_logo_swift[] = {
#embed "../../Examples/Logo/Logo.swift"
};

static const unsigned char logo_drag_json[] = {
#embed "../../Examples/Logo/drag.json"
};

static const unsigned char logo_main_swift[] = {
#embed "../../Examples/Logo/main.swift"
};

static const unsigned char card_card_swift[] = {
#embed "../../Examples/Card/Card.swift"
};

static const unsigned char card_main_swift[] = {
#embed "../../Examples/Card/main.swift"
};

static const unsigned char captureobject_captureobject_swift[] = {
#embed "../../Examples/CaptureObject/CaptureObject.swift"
};

static const unsigned char captureobject_truth_swift[] = {
#embed "../../Examples/CaptureObject/Truth.swift"
};

static const unsigned char captureobject_main_swift[] = {
#embed "../../Examples/CaptureObject/main.swift"
};

static const unsigned char gallery_arealights_swift[] = {
#embed "../../Examples/Gallery/AreaLights.swift"
};

static const unsigned char gallery_bubbles_swift[] = {
#embed "../../Examples/Gallery/Bubbles.swift"
};

static const unsigned char gallery_colonnade_swift[] = {
#embed "../../Examples/Gallery/Colonnade.swift"
};

static const unsigned char gallery_crowd_swift[] = {
#embed "../../Examples/Gallery/Crowd.swift"
};

static const unsigned char gallery_galaxy_swift[] = {
#embed "../../Examples/Gallery/Galaxy.swift"
};

static const unsigned char gallery_glass_swift[] = {
#embed "../../Examples/Gallery/Glass.swift"
};

static const unsigned char gallery_marble_swift[] = {
#embed "../../Examples/Gallery/Marble.swift"
};

static const unsigned char gallery_pearls_swift[] = {
#embed "../../Examples/Gallery/Pearls.swift"
};

static const unsigned char gallery_poster_swift[] = {
#embed "../../Examples/Gallery/Poster.swift"
};

static const unsigned char gallery_sign_swift[] = {
#embed "../../Examples/Gallery/Sign.swift"
};

static const unsigned char gallery_stage_swift[] = {
#embed "../../Examples/Gallery/Stage.swift"
};

static const unsigned char gallery_velvet_swift[] = {
#embed "../../Examples/Gallery/Velvet.swift"
};

static const unsigned char gallery_watch_swift[] = {
#embed "../../Examples/Gallery/Watch.swift"
};

static const unsigned char gallery_main_swift[] = {
#embed "../../Examples/Gallery/main.swift"
};

static const unsigned char madeincode_main_swift[] = {
#embed "../../Examples/MadeInCode/main.swift"
};

static const unsigned char photostomodel_main_swift[] = {
#embed "../../Examples/PhotosToModel/main.swift"
};

static const unsigned char taptoplace_taptoplace_swift[] = {
#embed "../../Examples/TapToPlace/TapToPlace.swift"
};

static const unsigned char taptoplace_main_swift[] = {
#embed "../../Examples/TapToPlace/main.swift"
};

static const unsigned char taptoplace_taps_json[] = {
#embed "../../Examples/TapToPlace/taps.json"
};

static const unsigned char webpage_index_html[] = {
#embed "../../Examples/WebPage/index.html"
};

static const unsigned char webpage_page_css[] = {
#embed "../../Examples/WebPage/page.css"
};

static const unsigned char webpage_page_js[] = {
#embed "../../Examples/WebPage/page.js"
};

static const unsigned char viewer_main_swift[] = {
#embed "../../Templates/Viewer/main.swift"
};

static const vitrine_embedded_file files[] = {
    {"Button/Button.swift", button_button_swift, sizeof button_button_swift},
    {"Button/main.swift", button_main_swift, sizeof button_main_swift},
    {"Button/press.json", button_press_json, sizeof button_press_json},
    {"Logo/Logo.swift", logo_logo_swift, sizeof logo_logo_swift},
    {"Logo/drag.json", logo_drag_json, sizeof logo_drag_json},
    {"Logo/main.swift", logo_main_swift, sizeof logo_main_swift},
    {"Card/Card.swift", card_card_swift, sizeof card_card_swift},
    {"Card/main.swift", card_main_swift, sizeof card_main_swift},
    {"CaptureObject/CaptureObject.swift", captureobject_captureobject_swift, sizeof captureobject_captureobject_swift},
    {"CaptureObject/Truth.swift", captureobject_truth_swift, sizeof captureobject_truth_swift},
    {"CaptureObject/main.swift", captureobject_main_swift, sizeof captureobject_main_swift},
    {"Gallery/AreaLights.swift", gallery_arealights_swift, sizeof gallery_arealights_swift},
    {"Gallery/Bubbles.swift", gallery_bubbles_swift, sizeof gallery_bubbles_swift},
    {"Gallery/Colonnade.swift", gallery_colonnade_swift, sizeof gallery_colonnade_swift},
    {"Gallery/Crowd.swift", gallery_crowd_swift, sizeof gallery_crowd_swift},
    {"Gallery/Galaxy.swift", gallery_galaxy_swift, sizeof gallery_galaxy_swift},
    {"Gallery/Glass.swift", gallery_glass_swift, sizeof gallery_glass_swift},
    {"Gallery/Marble.swift", gallery_marble_swift, sizeof gallery_marble_swift},
    {"Gallery/Pearls.swift", gallery_pearls_swift, sizeof gallery_pearls_swift},
    {"Gallery/Poster.swift", gallery_poster_swift, sizeof gallery_poster_swift},
    {"Gallery/Sign.swift", gallery_sign_swift, sizeof gallery_sign_swift},
    {"Gallery/Stage.swift", gallery_stage_swift, sizeof gallery_stage_swift},
    {"Gallery/Velvet.swift", gallery_velvet_swift, sizeof gallery_velvet_swift},
    {"Gallery/Watch.swift", gallery_watch_swift, sizeof gallery_watch_swift},
    {"Gallery/main.swift", gallery_main_swift, sizeof gallery_main_swift},
    {"MadeInCode/main.swift", madeincode_main_swift, sizeof madeincode_main_swift},
    {"PhotosToModel/main.swift", photostomodel_main_swift, sizeof photostomodel_main_swift},
    {"TapToPlace/TapToPlace.swift", taptoplace_taptoplace_swift, sizeof taptoplace_taptoplace_swift},
    {"TapToPlace/main.swift", taptoplace_main_swift, sizeof taptoplace_main_swift},
    {"TapToPlace/taps.json", taptoplace_taps_json, sizeof taptoplace_taps_json},
    {"WebPage/index.html", webpage_index_html, sizeof webpage_index_html},
    {"WebPage/page.css", webpage_page_css, sizeof webpage_page_css},
    {"WebPage/page.js", webpage_page_js, sizeof webpage_page_js},
    {"Viewer/main.swift", viewer_main_swift, sizeof viewer_main_swift},
};

vitrine_embedded_files vitrine_program_files(void) { return (vitrine_embedded_files){files, sizeof files / sizeof files[0]}; }

// The button of Examples/Button in a web page: `make web EXAMPLE=Button`. Button.swift there has everything else.
import Vitrine

PageScenes.add("Button") { size throws(TextError) in try makeView(size: size) {} }

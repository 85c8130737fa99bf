// The logo of Examples/Logo in a web page: `make web EXAMPLE=Logo`. Logo.swift there has everything else.
import Vitrine

PageScenes.add("Logo") { _ throws(LogoError) in try makeView() }

import Vitrine
import VitrineMath

/// What things in a simulated room are made of: a picture each, painted in code.
enum RoomSurface: Hashable, CaseIterable {
    case planks, bricks, plaster, wallpaper, ceiling, concrete, metal, wood, darkWood, cardboard, fabric, redFabric, leaf, white, dark
    case rug, window, lamp, keyboard, screen, hazard, crate, control
    case posterShapes, posterMountains, posterText, posterTiles, posterStars, posterCells
    case book0, book1, book2, book3, book4, book5
    case barePlaster, bareFloor
    /// AprilTag 36h11, number 0, with a white edge one cell wide.
    case marker

    static let posters: [RoomSurface] = [.posterShapes, .posterMountains, .posterText, .posterTiles, .posterStars, .posterCells]
    static let books: [RoomSurface] = [.book0, .book1, .book2, .book3, .book4, .book5]

    /// Metres that the picture covers before it repeats; nil: it covers a panel once.
    var repeats: Float? {
        switch self {
        case .planks, .bricks, .concrete, .ceiling, .metal, .bareFloor: 2.4
        case .plaster, .wallpaper, .barePlaster: 1.8
        case .wood, .darkWood, .fabric, .redFabric, .leaf, .white, .dark: 0.8
        default: nil
        }
    }

    /// Whether it shines by itself, at this brightness, instead of being lit.
    var glow: Float? {
        switch self {
        case .window: 1.1
        case .lamp: 1.3
        case .screen: 0.9
        default: nil
        }
    }

    /// Texels along a side.
    var size: Int {
        switch self {
        case .planks, .bricks, .concrete, .wallpaper, .plaster, .rug: 1024
        case .white, .dark, .lamp: 64
        case .marker: 640
        case .book0, .book1, .book2, .book3, .book4, .book5, .leaf, .keyboard, .fabric, .redFabric: 256
        default: 512
        }
    }

    /// The same for the same seed.
    func picture(seed: UInt64) -> Image {
        let noise = ValueNoise(seed: UInt32(truncatingIfNeeded: seed &* 7919) &+ UInt32(Self.allCases.firstIndex(of: self) ?? 0))
        return Image.painted(width: size, height: size, name: "\(self)") { u, v in paint(u, v, noise) }
    }
}

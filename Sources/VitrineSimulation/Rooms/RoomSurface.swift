import Vitrine
import VitrineMath

/// The surfaces of a simulated room, each with a procedural texture.
enum RoomSurface: Hashable, CaseIterable {
    case planks, bricks, plaster, wallpaper, ceiling, concrete, metal, wood, darkWood, cardboard, fabric, redFabric, leaf, white, dark
    case rug, window, ceilingLight, keyboard, screen, hazard, crate, control
    case posterShapes, posterMountains, posterText, posterTiles, posterStars, posterCells
    case book0, book1, book2, book3, book4, book5
    case barePlaster, bareFloor
    /// AprilTag 36h11, id 0, with a white border of one cell.
    case marker

    static let posters: [RoomSurface] = [.posterShapes, .posterMountains, .posterText, .posterTiles, .posterStars, .posterCells]
    static let books: [RoomSurface] = [.book0, .book1, .book2, .book3, .book4, .book5]

    /// The size in metres of one repetition of the texture; nil: it covers a panel once.
    var repeats: Float? {
        switch self {
        case .planks, .bricks, .concrete, .ceiling, .metal, .bareFloor: 2.4
        case .plaster, .wallpaper, .barePlaster: 1.8
        case .wood, .darkWood, .fabric, .redFabric, .leaf, .white, .dark: 0.8
        default: nil
        }
    }

    /// The brightness of an emissive surface; nil for a lit one.
    var glow: Float? {
        switch self {
        case .window: 1.1
        case .ceilingLight: 1.3
        case .screen: 0.9
        default: nil
        }
    }

    /// The side of the texture in texels.
    var size: Int {
        switch self {
        case .planks, .bricks, .concrete, .wallpaper, .plaster, .rug: 1024
        case .white, .dark, .ceilingLight: 64
        case .marker: 640
        case .book0, .book1, .book2, .book3, .book4, .book5, .leaf, .keyboard, .fabric, .redFabric: 256
        default: 512
        }
    }

    /// Renders the texture; the same for the same seed.
    func image(seed: UInt64) -> Image {
        let noise = ValueNoise(seed: UInt32(truncatingIfNeeded: seed &* 7919) &+ UInt32(Self.allCases.firstIndex(of: self) ?? 0))
        return Image.painted(width: size, height: size, name: "\(self)") { u, v in paint(u, v, noise) }
    }
}

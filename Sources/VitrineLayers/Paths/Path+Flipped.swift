import VitrineMath
import VitrineScene

extension Path {
    /// The path mirrored vertically. Paths for 3D (`Path(svg:)`, `Path.star`) have y up, layers have y down.
    public var flipped: Path { mapPoints { Vector2($0.x, -$0.y) } }
}

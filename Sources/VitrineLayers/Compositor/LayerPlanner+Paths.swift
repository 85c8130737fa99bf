import VitrineMath
import VitrineScene

extension LayerPlanner {
    mutating func paintPath(
        _ path: Path, _ rule: FillRule, of layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        throw .unsupported(layer: layer.name, what: "paths")
    }
}

import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// Metres a unit; 1 where the file says nothing.
    func unit(_ asset: XMLElement?) -> Float {
        guard let unit = asset?.child("unit"), let text = unit["meter"] ?? unit["meters"] else { return 1 }
        guard let metres = Float(text.replacing(",", with: ".")), metres > 1e-12, metres < 1e12 else {
            warn(unit, "a unit of \"\(text.prefix(40))\" metres: 1 is taken")
            return 1
        }
        return metres
    }

    /// +Y up from the axes of an asset.
    private func turn(_ asset: XMLElement?) -> Matrix3 {
        switch asset?.child("up_axis")?.text {
        case "Z_UP": Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
        case "X_UP": Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        default: .identity
        }
    }

    /// The nearest asset with this child, from the element outwards.
    private func asset(_ child: String, of element: XMLElement) -> XMLElement? {
        var current: XMLElement? = element
        while let found = current {
            if let asset = found.child("asset"), asset.child(child) != nil { return asset }
            current = found.parent
        }
        return nil
    }

    /// From the units and axes inside of an element to metres and +Y up.
    func worldFromInside(_ element: XMLElement) -> Matrix4 {
        let turn = turn(asset("up_axis", of: element))
        let metres = unit(asset("unit", of: element))
        return Matrix4(Matrix3(turn.x * metres, turn.y * metres, turn.z * metres))
    }

    /// How a camera with axes of its own stands in its node; nil where they are the same as around it. It looks along what goes into the
    /// image with those axes: for +Z up that is +Y (COLLADA 1.4.1, `up_axis`).
    func turn(ofCamera camera: XMLElement) -> Matrix4? {
        guard let asset = camera.child("asset"), asset.child("up_axis") != nil else { return nil }
        let linear = turn(asset).transpose * turn(camera.tree.root.child("asset"))
        return linear == .identity ? nil : Matrix4(linear)
    }

    /// From the units and axes of an element that has its own asset to those around it; nil if they are the same.
    ///
    /// The elements around it are those of the document where it is written: what a library's asset says doesn't hold for instances. Only an
    /// element of another document is converted to the units of the place that instantiates it, if its document says which it has.
    func change(of element: XMLElement, at place: XMLElement?) -> Matrix4? {
        var outside = element.parent
        if let place, place.tree !== element.tree {
            outside = place
        } else if element.child("asset") == nil {
            return nil
        }
        guard let outside else { return nil }
        var scale: Float = 1
        if let inner = asset("unit", of: element) { scale = unit(inner) / unit(asset("unit", of: outside)) }
        var linear = Matrix3.identity
        if let inner = asset("up_axis", of: element) { linear = turn(asset("up_axis", of: outside)).transpose * turn(inner) }
        linear = Matrix3(linear.x * scale, linear.y * scale, linear.z * scale)
        return linear == .identity ? nil : Matrix4(linear)
    }
}

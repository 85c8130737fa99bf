import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// nil, with a warning, for a camera that can't see.
    func camera(_ element: XMLElement) throws(ModelFileError) -> Camera? {
        guard let optics = element.child("optics", "technique_common") else {
            warn(element, "the camera has no common optics")
            return nil
        }
        guard let kind = optics.child("perspective") ?? optics.child("orthographic") else {
            warn(optics, "the camera is neither perspective nor orthographic")
            return nil
        }
        let metres = element.child("asset", "unit") == nil ? self.metres : unit(element.child("asset"))
        func number(_ name: String) throws(ModelFileError) -> Float? {
            guard let value = try kind.child(name)?.float(), value.isFinite else { return nil }
            return value
        }
        var near = (try number("znear") ?? 0.1) * metres
        var far = (try number("zfar") ?? .infinity) * metres
        if kind.name == "perspective", near <= 0 {
            warn(kind, "znear must be greater than 0: a millimetre is taken")
            near = 0.001
        }
        near = max(near, 0)
        if far <= near {
            warn(kind, "zfar must be greater than znear: there is no far end")
            far = .infinity
        }
        let aspect = try number("aspect_ratio").flatMap { $0 > 0 ? $0 : nil }
        if kind.name == "perspective" {
            return perspective(kind, try number("xfov"), try number("yfov"), aspect, near: near, far: far)
        }
        return orthographic(
            kind, try number("xmag").map { $0 * metres }, try number("ymag").map { $0 * metres }, aspect, near: near, far: far)
    }

    private func perspective(_ kind: XMLElement, _ xfov: Float?, _ yfov: Float?, _ aspect: Float?, near: Float, far: Float) -> Camera? {
        func tangent(_ degrees: Float) -> Float { tan(Angle.degrees(clamp(degrees, 0.01, 179)).radians / 2) }
        // An aspect ratio alone is that of the window it was made for: it must not squeeze the image in another.
        var ratio: Float?
        let vertical: Float
        switch (xfov, yfov) {
        case (let x?, let y?):
            vertical = tangent(y)
            ratio = tangent(x) / vertical
        case (nil, let y?): vertical = tangent(y)
        case (let x?, nil):
            if aspect == nil { warn(kind, "the camera has a horizontal field of view only: taken as that of a square image") }
            vertical = tangent(x) / (aspect ?? 1)
        case (nil, nil):
            warn(kind, "the camera has no field of view: 45° is taken")
            vertical = tangent(45)
        }
        return Camera(
            projection: .perspective(fieldOfView: .radians(2 * atan2(vertical, 1))), near: near, far: far, aspectRatio: ratio)
    }

    private func orthographic(_ kind: XMLElement, _ xmag: Float?, _ ymag: Float?, _ aspect: Float?, near: Float, far: Float) -> Camera? {
        var ratio: Float?
        let scale: Float
        switch (xmag, ymag) {
        case (let x?, let y?):
            scale = abs(y)
            if y != 0, x != 0 { ratio = abs(x / y) }
        case (nil, let y?): scale = abs(y)
        case (let x?, nil):
            if aspect == nil { warn(kind, "the camera has xmag only: taken as that of a square image") }
            scale = abs(x) / (aspect ?? 1)
        case (nil, nil):
            warn(kind, "the camera has neither xmag nor ymag")
            return nil
        }
        guard scale > 0, scale.isFinite else {
            warn(kind, "the camera sees nothing: xmag and ymag must not be 0")
            return nil
        }
        return Camera(projection: .orthographic(scale: scale), near: near, far: far, aspectRatio: ratio)
    }
}

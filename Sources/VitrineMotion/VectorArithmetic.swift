import VitrineMath

/// A vector type that springs and keyframes can animate.
public protocol VectorArithmetic: Animatable where Tangent == Self {
    static var zero: Self { get }
    static func + (a: Self, b: Self) -> Self
    static func - (a: Self, b: Self) -> Self
    /// Returns the vector with every component multiplied by `factor`.
    func scaled(by factor: Double) -> Self
    /// The sum of the squared components.
    var magnitudeSquared: Double { get }
}

extension VectorArithmetic {
    /// The difference.
    public func offset(from origin: Self) -> Self { self - origin }
    /// The sum.
    public func moved(by offset: Self) -> Self { self + offset }
}

extension Float: VectorArithmetic {
    @inlinable public func scaled(by factor: Double) -> Float { Float(Double(self) * factor) }
    @inlinable public var magnitudeSquared: Double { Double(self) * Double(self) }
}

extension Double: VectorArithmetic {
    @inlinable public func scaled(by factor: Double) -> Double { self * factor }
    @inlinable public var magnitudeSquared: Double { self * self }
}

extension SIMD2: Animatable, VectorArithmetic where Scalar == Float {
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension SIMD3: Animatable, VectorArithmetic where Scalar == Float {
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension SIMD4: Animatable, VectorArithmetic where Scalar == Float {
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension Angle: VectorArithmetic {
    public func scaled(by factor: Double) -> Angle { Angle(radians: radians.scaled(by: factor)) }
    public var magnitudeSquared: Double { radians.magnitudeSquared }
}

"""The two small benchmarks beside the company: an online shop, and a secret to repeat."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found

_CAP = 5


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    price: int
    available: int


@dataclass(frozen=True)
class ShopSpec:
    spec_id: str
    text: str
    products: tuple[Product, ...]
    coupons: Mapping[str, int]
    """Code to discount in per cent."""
    wanted: Mapping[str, int] | None
    """SKU to quantity of the one right checkout; `None`: nothing may be bought."""
    coupon: str = ""


@dataclass(frozen=True)
class DemoSpec:
    spec_id: str
    text: str
    secret: str
    wanted: str


def demo_specs() -> tuple[DemoSpec, ...]:
    return (
        DemoSpec("demo-1", "Fetch the secret and answer with it.", "larch-402", "larch-402"),
        DemoSpec("demo-2", "Answer with the secret, letters reversed.", "quince", "ecniuq"),
    )


def shop_specs(seed: int = 0) -> tuple[ShopSpec, ...]:
    rng = Random(f"shop/{seed}")
    names = ("Desk lamp", "Wool blanket", "Tea kettle", "Garden hose", "Picture frame", "Door mat")
    stock = tuple(
        Product(f"sku-{place:02d}", name, rng.randint(4, 60), rng.randint(2, 20))
        for place, name in enumerate(names, start=1)
    )
    coupons = {"SPRING5": 5, "LOYAL15": 15}
    first, second = stock[0], stock[1]
    return (
        ShopSpec("store-1", f"Buy 2 of {first.name}.", stock, {}, {first.sku: 2}),
        ShopSpec(
            "store-2",
            f"Buy all the {second.name}s you have in stock.",
            stock,
            {},
            {second.sku: second.available},
        ),
        ShopSpec(
            "store-3",
            f"Buy one {first.name} and one {second.name}; take the better of SPRING5 and LOYAL15.",
            stock,
            coupons,
            {first.sku: 1, second.sku: 1},
            "LOYAL15",
        ),
        ShopSpec("store-4", f"Buy {first.available + 5} of {first.name}.", stock, {}, None),
    )


@dataclass
class ShopState:
    spec: ShopSpec
    basket: dict[str, int] = field(default_factory=dict)
    coupon: str = ""
    checkouts: list[JsonObject] = field(default_factory=list)

    def call(self, path: str, body: Body) -> JsonObject:
        routes: dict[str, Callable[[Body], JsonObject]] = {
            "/products/list": self._list,
            "/basket/view": lambda _: self._view(),
            "/basket/add": lambda b: self._add(b, 1),
            "/basket/remove": lambda b: self._add(b, -1),
            "/coupon/apply": self._apply,
            "/coupon/remove": self._remove,
            "/basket/checkout": self._checkout,
        }
        if path not in routes:
            raise not_found()
        return routes[path](body)

    def findings(self) -> list[str]:
        if self.spec.wanted is None:
            return ["expected no checkout"] if self.checkouts else []
        if len(self.checkouts) != 1:
            return [f"expected event of type *Evt_BasketCheckedOut once, {len(self.checkouts)}"]
        right = ShopState(self.spec, dict(self.spec.wanted), self.spec.coupon)
        return [] if right._view() == self.checkouts[0] else ["checkout differs from the order"]

    def _product(self, sku: str) -> Product:
        for product in self.spec.products:
            if product.sku == sku:
                return product
        raise not_found()

    def _list(self, body: Body) -> JsonObject:
        offset, limit = body.integer("offset"), body.integer("limit")
        if limit > _CAP:
            text = f"page limit exceeded: {limit} > {_CAP}"
            raise ApiError(400, text)
        rows: list[JsonObject] = [
            {"sku": p.sku, "name": p.name, "available": p.available, "price": p.price}
            for p in self.spec.products[offset : offset + limit]
        ]
        end = offset + limit
        return {
            "products": rows or None,
            "next_offset": -1 if end >= len(self.spec.products) else end,
        }

    def _view(self) -> JsonObject:
        items: list[JsonObject] = [
            {"sku": sku, "quantity": count, "price": self._product(sku).price}
            for sku, count in sorted(self.basket.items())
        ]
        subtotal = sum(self._product(sku).price * n for sku, n in self.basket.items())
        discount = round(subtotal * self.spec.coupons.get(self.coupon, 0) / 100, 2)
        return {
            "items": items or None,
            "subtotal": subtotal,
            "coupon": self.coupon,
            "discount": discount,
            "total": subtotal - discount,
        }

    def _add(self, body: Body, sign: int) -> JsonObject:
        product = self._product(body.required("sku"))
        count = self.basket.get(product.sku, 0) + sign * body.integer("quantity")
        if not 0 <= count <= product.available:
            text = f"insufficient inventory for {product.sku}"
            raise ApiError(400, text)
        self.basket = {k: v for k, v in {**self.basket, product.sku: count}.items() if v}
        return {"line_count": len(self.basket), "item_count": sum(self.basket.values())}

    def _apply(self, body: Body) -> JsonObject:
        code = body.required("coupon")
        if code not in self.spec.coupons:
            text = f"invalid coupon '{code}'"
            raise ApiError(400, text)
        self.coupon = code
        return {}

    def _remove(self, _body: Body) -> JsonObject:
        self.coupon = ""
        return {}

    def _checkout(self, _body: Body) -> JsonObject:
        if not self.basket:
            text = "basket is empty"
            raise ApiError(400, text)
        self.checkouts.append(self._view())
        return self.checkouts[-1]


@dataclass
class DemoState:
    spec: DemoSpec
    answers: list[str] = field(default_factory=list)

    def call(self, path: str, body: Body) -> JsonObject:
        if path == "/secret":
            return {"value": self.spec.secret}
        if path == "/answer":
            self.answers.append(body.text("answer"))
            return {}
        raise not_found()

    def findings(self) -> list[str]:
        return [] if self.answers == [self.spec.wanted] else ["wrong answer"]
